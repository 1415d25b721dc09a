import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { endProbe, probeMark } from '../../../keeper-client/client.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Launch } from '../launch/launch.ts'

export type ProbeProcess = {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly exited: Promise<void>
  /** Ends it with whatever it started, also what left its process group. */
  end(): Promise<void>
}

/** A program that is here for a moment only, so that no keeper holds it. */
export function spawnProbe(
  deps: { dataDir: string; log: Logger },
  { cwd, env }: Pick<Launch, 'cwd' | 'env'>,
  [program, ...args]: Launch['argv'],
): ProbeProcess {
  const mark = probeMark(deps.dataDir, newRandomId())
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...mark.env },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  child.stdin.on('error', () => {})
  let hasExited = false
  const exited = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      hasExited = true
    })
  return {
    child,
    exited,
    async end() {
      const { pid } = child
      if (pid !== undefined) await endProbe(() => ({ pid, mark: mark.value, hasExited }), deps.log)
      child.stdout.destroy()
    },
  }
}
