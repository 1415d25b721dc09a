import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectKeeper, reapLeftovers, type ChildSpec, type Keeper } from '../../src/keeper-client/client.ts'
import { silentLogger, type Logger } from '../../src/lib/log.ts'
import { root } from '../../scripts/lib/say.mjs'
import { until } from './until.ts'

export const keeperEntry = join(root, 'src/keeper/main.ts')
const path = process.env['PATH'] ?? '/usr/bin:/bin'

/** A keeper in its own data directory, which ends with everything it holds. */
export type OwnKeeper = AsyncDisposable & {
  readonly home: string
  readonly pid: number
  connect(log?: Logger): Promise<Keeper>
  /** One of its children with this program; output is `acknowledged` by default. */
  spec(id: string, argv: ChildSpec['argv'], rest?: Partial<ChildSpec>): ChildSpec
}

type Options = { env?: Record<string, string>; home?: string }

export async function ownKeeper({ env = {}, home: given }: Options = {}): Promise<OwnKeeper> {
  const home = given ?? mkdtempSync(join(tmpdir(), 'sbk-'))
  const child = spawn(process.execPath, [keeperEntry, home], {
    // Starts from source in a third of the time.
    env: { PATH: path, NODE_COMPILE_CACHE: join(root, '.cache/compile'), ...env },
    detached: true,
    stdio: 'ignore',
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const connect = async (log = silentLogger) => {
    const connected = await connectKeeper({ dataDir: home, log, start: false })
    if (!connected.ok) throw new Error(connected.fault.message)
    return connected.value
  }
  // It may be listening already and not answer yet.
  const first = await until(() => connect().catch(() => null), { what: 'the keeper' })
  await first[Symbol.asyncDispose]()
  return {
    home,
    pid: child.pid ?? 0,
    async connect(log) {
      const keeper = await connect(log)
      if (!keeper) throw new Error('no keeper is running')
      return keeper
    },
    spec: (id, argv, rest = {}) => childSpec(id, argv, { cwd: home, ...rest }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      await endKeepers(home)
      if (!given) rmSync(home, { recursive: true, force: true })
    },
  }
}

export const childSpec = (id: string, argv: ChildSpec['argv'], rest: Partial<ChildSpec> = {}): ChildSpec => ({
  id,
  argv,
  cwd: tmpdir(),
  env: { PATH: path },
  label: {},
  output: 'acknowledged',
  ...rest,
})

/** The running keepers of a data directory. */
export function keepersOf(home: string): number[] {
  const isKeeper = (pid: string) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      return words.includes(keeperEntry) && words.includes(home)
    } catch {
      return false
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter(isKeeper)
    .map(Number)
}

/** Kills them with everything they hold: for the end of a test. */
export async function endKeepers(home: string): Promise<void> {
  for (const pid of keepersOf(home)) process.kill(pid, 'SIGKILL')
  await until(() => keepersOf(home).length === 0)
  await reapLeftovers(home, silentLogger)
}

/** Neither ended nor a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

export const residentMegabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Everything a child prints from an offset on, acknowledged as it arrives. */
export async function collect(keeper: Keeper, id: string, from = 0) {
  const pieces: Buffer[] = []
  const exit = Promise.withResolvers<{ code: number | null; signal: string | null }>()
  let next = from
  const listening = await keeper.listen(id, from, {
    data(bytes, offset) {
      if (offset !== next) exit.reject(new Error(`byte ${offset} came where ${next} was due`))
      pieces.push(Buffer.from(bytes))
      next = offset + bytes.length
      keeper.ack(id, next)
    },
    exit: exit.resolve,
  })
  if (!listening.ok) throw new Error(listening.fault.message)
  return { text: () => Buffer.concat(pieces).toString(), size: () => next - from, exit: exit.promise }
}
