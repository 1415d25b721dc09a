import type { Measured, Result } from './run-case.ts'

type Figures = {
  /** Moments at which a program waits, and the detected ones. */
  waits: number
  seen: number
  /** Moments at which none waits, and the false alarms. */
  works: number
  alarms: number
  recall: number
  precision: number
  latencies: number[]
}

export function figuresOf(results: readonly Result[]): Figures {
  const moments = results.flatMap((result) => result.moments)
  const waiting = moments.filter(({ truth }) => truth === 'waiting')
  const others = moments.filter(({ truth }) => truth === 'working' || truth === 'exited')
  const seen = waiting.filter(({ right }) => right).length
  const alarms = others.filter((moment) => moment.asked === 'waiting' || moment.reported === 'waiting').length
  return {
    waits: waiting.length,
    seen,
    works: others.length,
    alarms,
    recall: waiting.length === 0 ? 0 : seen / waiting.length,
    precision: seen + alarms === 0 ? 0 : seen / (seen + alarms),
    latencies: moments.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs])).toSorted((a, b) => a - b),
  }
}

export const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN

/** A line for each program: truth and verdict at each of its moments. */
export function table(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ of }) => of.name.length))
  return results.map((result) => rowOf(result, width)).join('\n')
}

function rowOf({ of, moments, fault, raw }: Result, width: number): string {
  const mark = fault === null && moments.every(isRight) ? ' ' : '✗'
  const kind = of.ssh ? 'ssh' : raw ? 'raw' : ''
  const said = moments.map(wordOf).join(' → ')
  return `${mark} ${of.name.padEnd(width)}  ${kind.padEnd(3)}  ${said}${fault === null ? '' : `  NOT MEASURED: ${fault.split('\n')[0]}`}`
}

const isRight = ({ truth, right }: Measured) => truth === 'either' || right

function wordOf({ truth, asked, reported, right, latencyMs, decidedBy, understood }: Measured): string {
  if (truth === 'either') return `(${reported}, not counted)`
  const late = latencyMs === null ? '' : ` ${latencyMs} ms`
  const wrong = understood.length === 0 ? '' : ` [${understood.join(', ')}]`
  if (right) return `${truth}${late}, ${decidedBy}${wrong}`
  return `${truth.toUpperCase()} SAID ${asked}/${reported}, ${decidedBy}`
}
