import type { InputStatus } from '../../../../app/terminals.ts'
import type { Actor } from '../../../../domain/user/actor.ts'
import type { Keeper } from '../../../../keeper-client/client.ts'
import type { Result } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import type { Typist } from '../live-terminal.ts'

export type TypedAnswer = {
  status: InputStatus
  screenAfter: string
  /** The program has ended: its last output is in the recording. */
  isOver?: true
}

export type AnswerInput = {
  text: string
  keys: readonly string[]
  pressEnter: boolean
  expectPrompt: string | null
  secret: boolean
  actor: Actor
  /** With a key seen before, nothing is typed again. */
  key?: string
  /** A person or the policy has approved what an agent wants to type. */
  approved?: boolean
  /** The person was asked again, because the prompt is dangerous. */
  confirmed?: boolean
  /** Signalbox types it because a person confirmed this answer. */
  byRule?: boolean
}

/** What typing needs of a terminal. */
export type TypingDeps = {
  keeper: Keeper
  childId: string
  typists: Map<string, Typist>
  look(): Promise<Result<TypingContext>>
}
