import type { LoadedConfig } from '../config/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { ServeIo } from './messages.ts'
import type { Stop } from './stop.ts'
import type { Workspaces } from './workspaces.ts'

/** What every part of the server is made with. */
export type ServerContext = {
  readonly loaded: LoadedConfig
  readonly io: ServeIo
  readonly log: Logger
  /** Resolves when the log has been written. */
  drained(): Promise<void>
  readonly stop: Stop
  readonly clock: Clock
  readonly nodeId: string
  readonly startedAt: string
  readonly workspaces: Workspaces
}
