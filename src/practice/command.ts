import type { Turn } from './turn.ts'

/** One line of a scripted prompt. */
export type Command = {
  description: string
  /** What may stand after its name. */
  hint?: string
  run(turn: Turn, argument: string): Promise<void>
}

export type Commands = Record<string, Command>

/** The first word, and everything after it. */
export function splitWord(text: string): [string, string] {
  const [, word = '', rest = ''] = /^(\S*)\s*([^]*)$/.exec(text) ?? []
  return [word, rest]
}

/** A whole number ≥ 0, or the fallback where nothing of the kind was said. */
export const numberOr = (text: string | undefined, fallback: number): number => {
  const value = Number(text)
  return text?.trim() && Number.isFinite(value) && value >= 0 ? value : fallback
}
