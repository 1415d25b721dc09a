import type { App } from '../../app/app.ts'
import type { Keeper } from '../../keeper-client/client.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Result } from '../../lib/result.ts'
import type { OwnTools } from './own-tools.ts'
import type { FileEdit } from './transcript/tool-call.ts'

/** The files of one workspace; nothing outside it is touched. */
export type WorkspaceFiles = {
  locate(path: string): Promise<Result<{ path: string; exists: boolean }>>
  readText(path: string, window?: { line?: number; limit?: number }): Promise<Result<{ text: string }>>
  mayWrite(path: string): Promise<Result<{ path: string; exists: boolean }>>
  writeText(path: string, content: string): Promise<Result<{ path: string; bytes: number; created: boolean }>>
  hash(path: string): Promise<Result<string>>
}

export type UndoPoints = {
  keep(input: {
    askId: string
    sessionId: string
    edits: readonly FileEdit[]
    paths: readonly string[]
  }): Promise<Result<unknown>>
  compare(askId: string): Promise<{ path: string; outcome: 'as_approved' | 'differs' | 'unchanged' | 'unknown' }[]>
}

/** What all drivers share. */
export type SharedDeps = {
  app: App
  clock: Clock
  log: Logger
  keeper: Keeper
  version: string
  idleMs: number
  startupMs: number
  ownTools: OwnTools
}
