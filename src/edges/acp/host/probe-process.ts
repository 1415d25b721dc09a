import { once } from 'node:events'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { newRandomId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { cpuMsOf } from '../../../lib/cpu-time.ts'
import type { Effort } from '../../../lib/patience.ts'
import { endProbe, probeMark } from '../../../keeper-client/client.ts'
import type { Launch } from '../launch/launch.ts'

export type ProbeProcess = {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly exited: Promise<void>
  effort(): Effort
  /** Ends it and everything it started, including processes that left its group. */
  end(): Promise<void>
}

/** Starts a short-lived program outside the keeper. */
export function spawnProbe(
  deps: { dataDir: string; log: Logger },
  { cwd, env }: Pick<Launch, 'cwd' | 'env'>,
  [program, ...args]: Launch['argv'],
): ProbeProcess {
  const mark = probeMark(deps.dataDir, newRandomId())
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...mark.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  child.stdin.on('error', () => {})
  let printed = 0
  child.stderr
    .on('error', () => {})
    .on('data', (part: Buffer) => {
      printed += part.length
    })
  let hasExited = false
  const exited = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      hasExited = true
    })
  return {
    child,
    exited,
    effort: () => ({ printed, cpuMs: child.pid === undefined ? 0 : cpuMsOf(child.pid) }),
    async end() {
      const { pid } = child
      if (pid !== undefined) await endProbe(() => ({ pid, mark: mark.value, hasExited }), deps.log)
      child.stdout.destroy()
      child.stderr.destroy()
    },
  }
}
