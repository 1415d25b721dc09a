import type { Overview } from '../../../src/client/contract/overview.ts'
import { duration } from '../../ui/relative-time.ts'
import { safeText } from '../../ui/safe-text.ts'

export type Row = Overview['rows'][number]
export type Figures = Overview['totals']

export type Measure = { title: string; of: (row: Figures) => number; text: (value: number) => string }

export const measures: readonly Measure[] = [
  { title: 'Sessions', of: ({ sessions }) => sessions, text: String },
  { title: 'Cost', of: ({ costUsd }) => costUsd, text: (usd) => `$${usd.toFixed(2)}` },
  { title: 'Asks', of: ({ asks }) => asks, text: String },
  { title: 'Waited for people', of: ({ waitedSeconds }) => waitedSeconds, text: duration },
]

const dayMs = 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The last days until today, UTC. */
export const spanBack = (days: number, now: number): { from: string; to: string } => ({
  from: dayOf(now - (days - 1) * dayMs),
  to: dayOf(now),
})

const none: Figures = { sessions: 0, costUsd: 0, asks: 0, answered: 0, automatic: 0, waitedSeconds: 0 }

/** Every day of the span, also those without anything. */
export function daysBetween({ from, to, rows }: Pick<Overview, 'from' | 'to' | 'rows'>): Row[] {
  const found = new Map(rows.map((row) => [row.key, row]))
  const days: Row[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs) {
    const key = dayOf(at)
    days.push(found.get(key) ?? { key, label: key, ...none })
  }
  return days
}

const missing: Readonly<Record<Overview['by'], string>> = {
  day: '',
  agent: 'no agent named',
  repo: 'no repo',
  person: 'nobody',
}

export const labelOf = ({ label }: Row, by: Overview['by']): string => (label === '' ? missing[by] : safeText(label))
