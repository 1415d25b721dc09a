import type { Verdict } from '../../../../domain/terminal/verdict.ts'
import type { LogicalLine } from './screen-text.ts'
import type { Foreground, Mode } from './types.ts'

/** A line of the screen, counted from the first that was ever shown, and what stood there up to the cursor. */
export type Row = { number: number; text: string }

/** Everything one look at the terminal gave. */
export type Look = {
  at: number
  /** When the last byte came. */
  printedAt: number
  /** When the last line was entered. */
  enteredAt: number
  quietMs: number
  offset: number
  /** Bytes printed, keys typed, so far. */
  printed: number
  keys: number
  verdict: Verdict
  /** What `promptKey` says of the prompt; null where there is none. */
  key: string | null
  /** Null where the screen was not needed. */
  lines: readonly LogicalLine[] | null
  alternate: boolean
  /** Where the cursor stands. Null where the screen was not needed. */
  row: Row | null
  /** What stands in a line now; null where it is out of sight. */
  textAt(row: number): string | null
  fg: Foreground | null
  /** False: `fg` is only the way to the program. */
  local: boolean
  mode: Mode | null
}

/** The kernel alone: it settles the case where a program is busy, and costs next to nothing. */
export const busyVerdict = (program: string): Verdict => ({
  state: 'working',
  prompt: null,
  confidence: 0.98,
  decidedBy: 'kernel',
  evidence: [{ signal: 'kernel', says: 'working', detail: `${program} does not read the terminal` }],
})

export const unknownVerdict: Verdict = {
  state: 'unknown',
  prompt: null,
  confidence: 0,
  decidedBy: 'silence',
  evidence: [{ signal: 'silence', says: 'nothing', detail: 'not checked yet' }],
}
