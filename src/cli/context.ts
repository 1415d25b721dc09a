import type { Client } from '../client/client.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { Keyboard } from './keyboard.ts'
import type { Output } from './output.ts'
import type { ByteStream } from './transport.ts'

type SchemaStep = { readonly version: number; readonly name: string }
type Remark = { readonly table: string; readonly id: string; readonly reason: string }
type ImportResult =
  | {
      readonly ok: true
      readonly value: {
        readonly tables: readonly {
          readonly table: string
          readonly read: number
          readonly imported: number
          readonly unchanged: number
          readonly leftOut: number
        }[]
        readonly leftOut: readonly Remark[]
        readonly changed: readonly Remark[]
        readonly backup: string | null
      }
    }
  | { readonly ok: false; readonly fault: { code: string; message: string; hint?: string | undefined } }
type StepsResult = { readonly backup: string | null } & (
  | { readonly ok: true; readonly value: readonly SchemaStep[] }
  | { readonly ok: false; readonly fault: { code: string; message: string; hint?: string | undefined } }
)

/** Parts that need a database, loaded only by the commands that use them. */
export type HeavyParts = {
  readonly version: string
  serve(loaded: LoadedConfig, io: { print(text: string): void; version: string }): Promise<number>
  maintenance(): Promise<{
    databaseFile(dataDir: string): string
    databaseStatus(loaded: LoadedConfig): Promise<{
      current: number
      newest: number
      applied: readonly (SchemaStep & { applied: string })[]
      pending: readonly SchemaStep[]
    }>
    migrateDatabase(loaded: LoadedConfig): Promise<StepsResult>
    rollBackDatabase(loaded: LoadedConfig, to: number): Promise<StepsResult>
    importDatabase(loaded: LoadedConfig, what: { file: string; dryRun: boolean }): Promise<ImportResult>
  }>
}

/** The connection of this command to the API. */
export type ServerConnection = {
  readonly client: Client
  /** A streamed response. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ByteStream>
}

/** What a command works with. Expensive parts are created on first use. */
export type Context = {
  readonly json: boolean
  readonly out: Output
  readonly env: NodeJS.ProcessEnv
  readonly dataDir: string
  /** The file named by --config. */
  readonly configFile: string | undefined
  /** Set for a remote server. */
  readonly url: string | undefined
  readonly token?: string | undefined
  readonly parts: HeavyParts
  now(): number
  config(): Promise<LoadedConfig>
  /** The name of the server's socket. A running server is reached even if the configuration has errors meanwhile. */
  ipcName(): Promise<string>
  api(): Promise<ServerConnection>
  /** Aborted by Ctrl-C; before the first use Ctrl-C ends the process as usual. */
  interrupted(): AbortSignal
  /** Called on each Ctrl-C, which then no longer ends the process. */
  interrupts(listener: () => void): Disposable
  /** Null without a terminal. */
  readonly keyboard: Keyboard | null
}

/** What programs in terminals need of it. */
export type TerminalContext = Pick<
  Context,
  'json' | 'out' | 'env' | 'dataDir' | 'configFile' | 'url' | 'token' | 'ipcName' | 'api'
>
