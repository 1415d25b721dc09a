import type { Overview } from './contract/overview.ts'

const columns = ['key', 'label', 'sessions', 'costUsd', 'asks', 'answered', 'automatic', 'waitedSeconds'] as const

/** Spreadsheets run what begins with one of these. */
const formula = /^[=+\-@\t\r]/

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** As RFC 4180 has it. */
export const overviewCsv = ({ rows }: Pick<Overview, 'rows'>): string =>
  [columns.join(','), ...rows.map((row) => columns.map((name) => cell(row[name])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('')
