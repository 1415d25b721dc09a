import type { Ask } from '../../../../src/domain/ask/schema.ts'
import type { Answer } from '../use-answer.ts'

/** What every row of actions gets. */
export type Act<K extends Ask['kind'] = Ask['kind']> = {
  ask: Ask
  subject: Extract<Ask['subject'], { kind: K }>
  /** Whether the keys a, r and e are meant for it. */
  keys: boolean
  /** Nothing can be pressed for a moment: it has just taken the place of another. */
  resting: boolean
  /** Further classes of the row, where it sticks somewhere. */
  bar: string
  send(answer: Answer): void
}
