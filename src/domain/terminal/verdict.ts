import type { PromptType } from './schema.ts'

export type { PromptType }

export type DecidedBy = 'kernel' | 'terminal_mode' | 'screen' | 'text' | 'silence'

export type Choice = { key: string; label: string; selected: boolean; isDefault: boolean }

/** An interpreted prompt. */
export type Prompt = {
  /** The full text, wrapped lines joined; never empty. */
  text: string
  type: PromptType
  /** The input must not be stored. */
  secret: boolean
  choices: readonly Choice[]
  default: string | null
  dangerous: boolean
  dangerReason: string | null
  suggestedInputs: readonly string[]
  /** A valid regular expression that matches `text`. */
  matchedPattern: string
}

/** One signal, and what it indicates. */
export type Evidence = { signal: DecidedBy; says: 'waiting' | 'working' | 'nothing'; detail: string }

export type Verdict = {
  state: 'working' | 'waiting' | 'exited' | 'unknown'
  /** Set only while it waits. */
  prompt: Prompt | null
  /** The probability that `state` is right, 0 to 1. */
  confidence: number
  decidedBy: DecidedBy
  evidence: readonly Evidence[]
}
