import type { App } from '../../app/app.ts'
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

/** Changes of files, looked at before anybody is asked about them. */
export type FileChanges = {
  look(input: {
    root: string
    /** What it was when its session began. */
    mark: string | null
    filePath: string
    diff: string
  }): Promise<Result<{ files: { path: string; hash: string }[]; preview: string | null }>>
}

/** A file as people are to see it: in the workspace and nowhere else, text or nothing. */
export type LookAtFile = (session: Pick<Session, 'id' | 'workspaceRoot'>, path: string) => Promise<Looked>

/** Carries out what was approved, once (R7). `key`: asked again with the same one, it says again what it did. */
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

/** What tools do in the world, by the edges that can. */
export type ToolDeps = {
  changes: FileChanges
  lookAtFile: LookAtFile
  applying: ApplyApproved
  checkpoints: Checkpointing
  terminals: Terminals
  inputs: Inputs
  catchUp: CatchUp
}

export type McpDeps = ToolDeps & {
  app: App
  clock: Clock
  log: Logger
  version: string
  holdMs: number
  stallEnabled: () => boolean
}
