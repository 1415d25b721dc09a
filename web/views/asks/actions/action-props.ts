import type { Ask } from '../../../../src/domain/ask/schema.ts'
import type { AskAnswer } from '../use-answer.ts'

/** Props of every row of actions. */
export type ActionProps<K extends Ask['kind'] = Ask['kind']> = {
  ask: Ask
  subject: Extract<Ask['subject'], { kind: K }>
  /** Whether the keys a, r and e act on this ask. */
  keys: boolean
  /** Buttons are disabled for a moment: this ask just replaced another. */
  resting: boolean
  /** Extra classes for a sticky row. */
  bar: string
  send(answer: AskAnswer): void
}
