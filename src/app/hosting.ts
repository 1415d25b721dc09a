import type { CheckpointId } from '../domain/checkpoint/id.ts'
import type { Isolation, NewSession, SessionCommand, SessionId } from '../domain/session/schema.ts'
import type { Actor } from '../domain/user/actor.ts'
import type { Json } from '../lib/json.ts'
import type { Result } from '../lib/result.ts'
import type { DispatchOptions } from './dispatch.ts'

/** What a person chooses for an agent before it has said what it offers. */
export type ChosenAtStart = {
  readonly mode: string | null
  readonly options: Readonly<Record<string, string | boolean>>
}

/** The request to start an agent. */
export type AgentStart = {
  session: NewSession
  restartOf: SessionId | null
  /** The checkpoint of that session to continue from. */
  fromCheckpoint?: CheckpointId
  /** The session whose conversation is copied; it is not affected. */
  forkOf: SessionId | null
  actor: Actor
  once: DispatchOptions
  isolation: Isolation | null
  worktree: boolean
  authMethod: string | null
  /** What goes along with its prompt. */
  files?: Pick<Extract<SessionCommand, { type: 'session.start' }>, 'attachments' | 'links'>
  /** The agent's mode and options to begin with. */
  chosen?: ChosenAtStart
  /** The agent's own id of an earlier conversation to take up, which is shown. */
  conversation?: string
  /** Does not resume the conversation of the session it replaces: another agent takes over. */
  anew?: true
  budget: { costUsd: number | null; tokens: number | null } | null
}

/** What the hosting edge offers to the edges that people use. */
export type Hosting = {
  start(input: AgentStart): Promise<Result<SessionId>>
  recover(id: SessionId): Promise<Result<void>>
  cancelTurn(id: SessionId): Promise<boolean>
  setMode(id: SessionId, modeId: string): Promise<Result<void>>
  setOption(id: SessionId, optionId: string, value: string | boolean): Promise<Result<void>>
  /** Conversations that the agent itself has stored. */
  conversations(id: SessionId): Promise<Result<Json>>
  /** Resolves when nothing of the agent is left here. */
  gone(id: SessionId): Promise<void>
  /** The error output of a running agent; null if it is already stored with its session. */
  stderr(id: SessionId): Promise<string | null>
  live(): number
  /** Starts an agent that is asleep or queued; if all slots are taken, an idle one is put to sleep. */
  wake(id: SessionId, actor: Actor, once?: DispatchOptions): Promise<Result<void>>
  /** Ends the agent's process and keeps its conversation; to restart it, a new process is started at once. */
  sleep(
    command: Extract<SessionCommand, { type: 'session.sleep' }>,
    actor: Actor,
    once?: DispatchOptions,
  ): Promise<Result<void>>
}
