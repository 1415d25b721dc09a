import type { Administration } from '../../app/administration/administration.ts'
import type { App } from '../../app/app.ts'
import type { Outgoing } from '../../app/chat/outgoing/outgoing.ts'
import type { CatchUp } from '../../app/catch-up/catch-up.ts'
import type { Inputs } from '../../app/inputs.ts'
import type { Terminals } from '../../app/terminals.ts'
import type { AskId } from '../../domain/ask/schema.ts'
import type { Checkpoint } from '../../domain/checkpoint/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { Logger } from '../../lib/log.ts'
import type { Looked } from '../../lib/look-at-file.ts'
import type { Result } from '../../lib/result.ts'

/** Checks file changes before anyone is asked about them. */
export type FileChanges = {
  look(input: {
    root: string
    /** The workspace's identity when the session started. */
    mark: string | null
    filePath: string
    diff: string
  }): Promise<Result<{ files: { path: string; hash: string }[]; preview: string | null }>>
}

/** Reads a text file of the workspace, for people to see. */
export type LookAtFile = (session: Pick<Session, 'id' | 'workspaceRoot'>, path: string) => Promise<Looked>

/** Reads a file of the workspace, to send it; `inside` is its real path there. */
export type ReadFile = (
  session: Pick<Session, 'id' | 'workspaceRoot'>,
  path: string,
  most: number,
) => Promise<Result<{ inside: string; bytes: Buffer }>>

/** Applies an approved change once (R7). Repeated with the same `key`, it returns the first result. */
export type ApplyApproved = {
  apply(input: {
    askId: AskId
    by: Actor
    force: boolean
    key: string | null
  }): Promise<Result<{ filesWritten: { path: string; bytes: number }[]; forced: boolean }>>
}

export type Checkpointing = {
  create(input: { sessionId: SessionId; label: string | null; actor: Actor; key?: string }): Promise<Result<Checkpoint>>
}

/** What tools need from other edges. */
export type ToolDeps = {
  changes: FileChanges
  lookAtFile: LookAtFile
  applying: ApplyApproved
  checkpoints: Checkpointing
  terminals: Terminals
  inputs: Inputs
  catchUp: CatchUp
  /** What agents do in chats. */
  chat: Outgoing
  readFile: ReadFile
  /** What agents ask of administrators. */
  administration: Pick<Administration, 'expect'>
}

export type McpDeps = ToolDeps & {
  app: App
  clock: Clock
  log: Logger
  version: string
  holdMs: number
  stallEnabled: () => boolean
}
