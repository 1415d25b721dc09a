import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureBuilt } from '../../scripts/lib/built.mjs'
import { root } from '../../scripts/lib/say.mjs'

export type LogLine = Readonly<Record<string, unknown>>

/** One run of the real server, for tests that kill it. */
export type ServerLife = AsyncDisposable & {
  readonly pid: number
  readonly socketPath: string
  /** Its output for people, and its log lines, so far. */
  printed(): string
  readonly log: readonly LogLine[]
  /** Resolves with the address once it is ready; fails with its output if it ends before that. */
  readonly ready: Promise<string>
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export type LifeOptions = {
  home: string
  env?: Readonly<Record<string, string>>
  onLog?: (line: LogLine) => void
}

let built: Promise<void> | undefined

/** Starts `signalbox serve` as a separate process, with only the given settings in its environment. */
export async function startLife({ home, env = {}, onLog }: LifeOptions): Promise<ServerLife> {
  built ??= ensureBuilt(process.execPath, false)
  await built
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX_|PORT$|NODE_|VITEST)/.test(name))
  const child = spawn(process.execPath, [join(root, 'dist/signalbox.js'), 'serve'], {
    cwd: home,
    env: {
      ...Object.fromEntries(inherited),
      SIGNALBOX_HOME: home,
      SIGNALBOX_HTTP_PORT: '0',
      SIGNALBOX_LOG__FORMAT: 'json',
      // Next to the data directory, which can't be a workspace.
      SIGNALBOX_WORKSPACE_ROOT: `${home}.work`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return livingServer(child, home, onLog)
}

function livingServer(child: ChildProcess, home: string, onLog: LifeOptions['onLog']): ServerLife {
  const log: LogLine[] = []
  let printed = ''
  const ready = Promise.withResolvers<string>()
  ready.promise.catch(() => {})
  const gone = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>()
  child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  if (child.stderr)
    createInterface({ input: child.stderr }).on('line', (text) => {
      const line = parseLine(text)
      if (!line) {
        printed += `${text}\n`
        return
      }
      log.push(line)
      onLog?.(line)
      if (line['msg'] === 'ready') ready.resolve(String(line['address']))
    })
  child.once('error', (error) => ready.reject(error))
  // `close` rather than `exit`: by then all its output was read.
  child.once('close', (code, signal) => {
    ready.reject(
      new Error(`the server ended (${code ?? signal}) before it was ready:\n${printed}${JSON.stringify(log)}`),
    )
    gone.resolve({ code, signal })
  })
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return gone.promise
  }
  return {
    pid: child.pid ?? 0,
    socketPath: join(home, 'run', 'signalbox.sock'),
    printed: () => printed,
    log,
    ready: ready.promise,
    exited: gone.promise,
    kill,
    async [Symbol.asyncDispose]() {
      await kill('SIGKILL')
    },
  }
}

/** Ignores a line cut short by the kill. */
function parseLine(text: string): LogLine | null {
  if (!text.startsWith('{')) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** A ready server, for tests that do not need its start. */
export async function startReady(options: LifeOptions): Promise<ServerLife> {
  const life = await startLife(options)
  try {
    await life.ready
  } catch (error) {
    await life[Symbol.asyncDispose]()
    throw error
  }
  return life
}

/** A new data directory; removed on dispose. */
export function freshHome(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'sbh-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
