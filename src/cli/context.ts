import type { Client } from '../client/client.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { Keyboard } from './keyboard.ts'
import type { Output } from './output.ts'
import type { ByteStream } from './transport.ts'

type SchemaStep = { readonly version: number; readonly name: string }
type StepsResult = { readonly backup: string | null } & (
  | { readonly ok: true; readonly value: readonly SchemaStep[] }
  | { readonly ok: false; readonly fault: { code: string; message: string; hint?: string | undefined } }
)

/** The parts with a database behind them, loaded only by the commands that need them. */
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
  }>
}

/** The API as this command reaches it. */
export type Connection = {
  readonly client: Client
  /** A response that is read as it comes. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<ByteStream>
}

/** What a command works with. Whatever costs time is made on first use. */
export type Context = {
  readonly json: boolean
  readonly out: Output
  readonly env: NodeJS.ProcessEnv
  readonly dataDir: string
  /** The file named by --config. */
  readonly configFile: string | undefined
  /** Set when the server is not the one of the data directory. */
  readonly url: string | undefined
  readonly parts: HeavyParts
  now(): number
  config(): Promise<LoadedConfig>
  api(): Promise<Connection>
  /** Aborted by Ctrl-C; before the first use Ctrl-C ends the process as usual. */
  interrupted(): AbortSignal
  /** Hears each Ctrl-C, which then ends nothing by itself. */
  interrupts(listener: () => void): Disposable
  /** Null where nobody sits at a terminal. */
  readonly keyboard: Keyboard | null
}
