import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createApi, type Api } from './api.ts'
import { startLife, type LogLine, type ServerLife } from './kill-harness-server.ts'

/** One data directory, and the consecutive runs of the server in it. */
export type LoopServer = AsyncDisposable & {
  readonly home: string
  readonly socket: string
  readonly pid: number
  readonly alive: boolean
  /** Log lines that report a bug, over all runs. */
  readonly errors: readonly string[]
  /** Starts the next run and waits until it is ready. */
  start(): Promise<void>
  /** Starts a run and kills it before it is ready, after this many milliseconds. */
  startAndKill(afterMs: number): Promise<void>
  kill(): Promise<void>
  /** As a person on the same machine. */
  readonly owner: Api
  address(): string
  /** Agents can't connect while this is closed; they reconnect automatically. */
  door: { shut: boolean }
  /** Connects to the server's current address. */
  readonly fetch: typeof fetch
}

const nowhere = 'http://signalbox.invalid'
const bug = 50

export function createLoopServer(home: string, env: Readonly<Record<string, string>>): LoopServer {
  const errors: string[] = []
  const socket = join(home, 'run', 'signalbox.sock')
  const door = { shut: false }
  let life: ServerLife | null = null
  let address = ''
  let alive = false

  function heard(line: LogLine): void {
    if (Number(line['level']) >= bug) errors.push(JSON.stringify(line))
  }

  const begin = async () => {
    life = await startLife({ home, env: { SIGNALBOX_MAX_CONCURRENT_SESSIONS: '1000', ...env }, onLog: heard })
    return life
  }

  return {
    home,
    socket,
    errors,
    door,
    owner: createApi({ socket }),
    get pid() {
      return life?.pid ?? 0
    },
    get alive() {
      return alive
    },
    address: () => address,
    async start() {
      address = await (await begin()).ready
      alive = true
    },
    async startAndKill(afterMs) {
      const begun = await begin()
      await pause(afterMs)
      await begun.kill('SIGKILL')
    },
    async kill() {
      alive = false
      await life?.kill('SIGKILL')
    },
    async fetch(input, init) {
      if (door.shut || !alive) throw new TypeError('fetch failed: the server is down')
      const url = input instanceof Request ? input.url : input.toString()
      return fetch(url.replace(nowhere, address), init)
    },
    async [Symbol.asyncDispose]() {
      await life?.kill('SIGKILL')
    },
  }
}

/** For clients that outlive their first port. */
export const addressOfMcp = (query: Readonly<Record<string, string>>): URL =>
  new URL(`${nowhere}/mcp?${new URLSearchParams(query).toString()}`)
