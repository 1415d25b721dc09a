import type { CheckpointId } from '../domain/checkpoint/id.ts'
import type { NewSession, SessionId } from '../domain/session/schema.ts'
import type { Actor } from '../domain/user/actor.ts'
import type { Json } from '../lib/json.ts'
import type { Result } from '../lib/result.ts'
import type { DispatchOptions } from './dispatch.ts'

/** An agent somebody wants started. */
export type AgentStart = {
  session: NewSession
  restartOf: SessionId | null
  /** A checkpoint of that session to go on from. */
  fromCheckpoint?: CheckpointId
  /** The session whose conversation is copied; it goes on by itself. */
  forkOf: SessionId | null
  actor: Actor
  once: DispatchOptions
  isolation: 'none' | 'sandbox' | null
  worktree: boolean
  authMethod: string | null
  budget: { costUsd: number | null; tokens: number | null } | null
}

/** What the edge that hosts agents does for the edges that people use. */
export type Hosting = {
  start(input: AgentStart): Promise<Result<SessionId>>
  recover(id: SessionId): Promise<Result<void>>
  cancelTurn(id: SessionId): Promise<boolean>
  setMode(id: SessionId, modeId: string): Promise<Result<void>>
  setOption(id: SessionId, optionId: string, value: string | boolean): Promise<Result<void>>
  /** Conversations the agent itself remembers. */
  conversations(id: SessionId): Promise<Result<Json>>
  /** Done when nothing of the agent is left here. */
  gone(id: SessionId): Promise<void>
  /** The error output of an agent at work; null where it is kept with its session. */
  stderr(id: SessionId): Promise<string | null>
  live(): number
}
