import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Ran } from '../../support/server.ts'
import { within } from '../../support/until.ts'

export type CommandLine = {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin?: string
  /** Standard input ends once this was printed, or at once if it is missing. */
  readonly heldUntil?: string
}

/** Processes that run command lines one after another: a process for each would take minutes. */
export type Lanes = AsyncDisposable & { run(line: CommandLine): Promise<Ran> }

const patience = 20
const program = join(import.meta.dirname, '..', '..', '..', 'dist', 'signalbox.js')

type Answer = Ran & { id: number }
type Lane = { child: ChildProcess; last: Promise<unknown> }

export function openLanes(count: number): Lanes {
  let runs = 0
  const all = new Set<ChildProcess>()
  const newChild = () => {
    const child = fork(new URL('./command-line.ts', import.meta.url), {
      env: { PATH: process.env['PATH'] ?? '', MATRIX_PROGRAM: program },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    all.add(child)
    return child
  }
  const lanes: Lane[] = Array.from({ length: count }, () => ({ child: newChild(), last: Promise.resolve() }))
  let next = 0

  async function runIn(lane: Lane, { args, env, cwd, stdin = '', heldUntil = '' }: CommandLine): Promise<Ran> {
    runs += 1
    const id = runs
    const { child } = lane
    const answered = new Promise<Ran>((resolve, reject) => {
      const hear = (message: Answer) => {
        if (message.id !== id) return
        child.off('message', hear)
        resolve({ code: message.code, stdout: message.stdout, stderr: message.stderr })
      }
      child.on('message', hear)
      child.removeAllListeners('exit')
      child.once('exit', () => reject(new Error(`signalbox ${args.join(' ')} ended its process`)))
    })
    child.send({ id, args, env, cwd, stdin, heldUntil })
    return within(answered, `the end of signalbox ${args.join(' ')}`, patience).catch((error: unknown) => {
      child.kill('SIGKILL')
      lane.child = newChild()
      return { code: null, stdout: '', stderr: String(error) }
    })
  }

  return {
    run(line) {
      const lane = lanes[next++ % lanes.length]
      if (!lane) throw new Error('there are no lanes')
      const ran = lane.last.then(() => runIn(lane, line))
      lane.last = ran
      return ran
    },
    async [Symbol.asyncDispose]() {
      for (const child of all) child.kill('SIGKILL')
    },
  }
}
