import type { Actor } from '../../../domain/user/actor.ts'
import type { NewSession, SessionId } from '../../../domain/session/schema.ts'
import type { DispatchOptions } from '../../../app/dispatch.ts'

/** What somebody wants started. */
export type StartInput = {
  session: NewSession
  restartOf: SessionId | null
  /** The session whose conversation is copied; it goes on by itself. */
  forkOf: SessionId | null
  actor: Actor
  once: DispatchOptions
  isolation: 'none' | 'sandbox' | null
  worktree: boolean
  authMethod: string | null
  budget: { costUsd: number | null; tokens: number | null } | null
}
