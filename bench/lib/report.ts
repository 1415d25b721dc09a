import { availableParallelism, totalmem } from 'node:os'
import type { Figure, Line } from './line.ts'
import type { Sample } from './sample.ts'

export type Machine = { cores: number; memoryGb: number; node: string; platform: string }

export const describeMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryGb: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
})

const short = (value: number) =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3).replace(/\.0+$/, '')
const shown = (sample: Sample | null, unit = '') =>
  sample === null ? '–' : `${short(sample.median)}${unit && ` ${unit}`} (${short(sample.low)}–${short(sample.high)})`
const ratio = (sample: Sample | null) =>
  sample === null ? '–' : `${sample.median.toFixed(2)} (${sample.low.toFixed(2)}–${sample.high.toFixed(2)})`
const holds = ({ holds: held }: Figure) => (held === null ? 'for information' : held ? 'yes' : 'NO')

const heads = ['line', 'ours', 'peer', 'ratio', 'bar', 'holds?']
const cells = (figure: Figure): string[] => [
  figure.title,
  shown(figure.ours, figure.unit),
  shown(figure.peer, figure.unit),
  ratio(figure.ratio),
  figure.bar ?? '–',
  holds(figure),
]

export function renderTable(figures: readonly Figure[]): string {
  const rows = [heads, ...figures.map(cells)]
  const widths = heads.map((_head, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function verdict(figures: readonly Figure[]): string {
  const barred = figures.filter((figure) => figure.holds !== null)
  const missed = barred.filter((figure) => figure.holds === false)
  if (missed.length === 0) return barred.length === 1 ? 'The bar holds.' : `All ${barred.length} bars hold.`
  return `${missed.length} of ${barred.length} bars are MISSED: ${missed.map(({ name }) => name).join(', ')}.`
}

type Results = { at: Date; machine: Machine; figures: readonly Figure[]; lines: readonly Line[] }

const row = (texts: readonly string[]) => `| ${texts.join(' | ')} |`
const tableOf = (figures: readonly Figure[]): string =>
  [heads, heads.map(() => '---'), ...figures.map(cells)].map(row).join('\n')
const writtenBy = (command: string, { at, machine: { cores, memoryGb, node, platform } }: Results): string =>
  `Written by \`npm run bench -- ${command}\` on ${at.toISOString().slice(0, 10)}; ${cores} cores, ${memoryGb} GB of memory,
Node ${node}, ${platform}.`
const explained = (lines: readonly Line[], depth: string): string =>
  lines.map(({ name, measured }) => `${depth} ${name}\n\n${measured}`).join('\n\n')

const peersHead = '## Beside the peers\n'

/** The whole file; the separate run with the peers is kept. */
export function renderResults(results: Results, before: string): string {
  const { figures, lines } = results
  return `# Bench

${writtenBy('--write', results)}

${tableOf(figures)}

${verdict(figures)}

Every figure is the median of its rounds, with the lowest and the highest behind it. Ours and the peer take turns in one
run (A B A B …), after a warm-up round of each that does not count; a ratio is taken round by round. Only ratios are
judged: absolute figures are those of the machine.

${explained(lines, '##')}
${before.includes(peersHead) ? `\n${before.slice(before.indexOf(peersHead))}` : ''}`
}

/** The same file with a run of one group, before that of the peers; a whole run replaces both. */
export function withGroup(before: string, group: string, results: Results): string {
  const { figures, lines } = results
  const head = `## ${group}, in a run of its own\n`
  const sections = before.trimEnd().split(/^(?=## )/m)
  const others = sections.filter((section) => !section.startsWith(head))
  const at = others.findIndex((section) => section.startsWith(peersHead))
  const section = `${head}
${writtenBy(`${group} --write`, results)}

${tableOf(figures)}

${verdict(figures)}

${explained(lines, '###')}

`
  return `${others
    .toSpliced(at === -1 ? others.length : at, 0, section)
    .join('')
    .trimEnd()}\n`
}

/** The same file with a new run of the peers at its end. */
export function withPeers(before: string, results: Results): string {
  const { figures, lines } = results
  const rest = before.includes(peersHead) ? before.slice(0, before.indexOf(peersHead)) : `${before.trimEnd()}\n\n`
  return `${rest}${peersHead}
${writtenBy('peers --write', results)}

${tableOf(figures)}

${verdict(figures)}

${explained(lines, '###')}
`
}
