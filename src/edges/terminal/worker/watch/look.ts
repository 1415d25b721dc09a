import type { Verdict } from '../../../../domain/terminal/verdict.ts'
import type { LogicalLine } from './screen-text.ts'
import type { Foreground, Mode } from './types.ts'

/** A line of the screen, numbered from the first ever shown, and its text up to the cursor. */
export type ShownRow = { number: number; text: string }

/** The result of one look at the terminal. */
export type ScreenLook = {
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
  /** The `promptKey` of the prompt, or null. */
  key: string | null
  /** Null if the screen was not needed. */
  lines: readonly LogicalLine[] | null
  alternate: boolean
  /** The cursor's line. Null if the screen was not needed. */
  row: ShownRow | null
  /** The current text of a line; null if it is not on the screen. */
  textAt(row: number): string | null
  fg: Foreground | null
  /** False: `fg` is only the connection to the program. */
  local: boolean
  mode: Mode | null
}

/** From the kernel alone: enough if a program is busy, and very cheap. */
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
