import type { PracticeTurn } from './turn.ts'

/** One command of a scripted prompt. */
export type PracticeCommand = {
  description: string
  /** Its argument. */
  hint?: string
  run(turn: PracticeTurn, argument: string): Promise<void>
}

export type PracticeCommands = Record<string, PracticeCommand>

/** The first word, and everything after it. */
export function splitWord(text: string): [string, string] {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(text) ?? []
  return [word, rest]
}

/** A number ≥ 0, or the fallback. */
export const numberOr = (text: string | undefined, fallback: number): number => {
  const value = Number(text)
  return text?.trim() && Number.isFinite(value) && value >= 0 ? value : fallback
}
