import { statOf } from '../../lib/proc-files.ts'
import type { Logger } from '../../lib/log.ts'
import { signal } from '../../lib/process-list.ts'
import { createSessionProcesses } from '../../lib/process-tree.ts'

/** The processes of a terminal: those of its session and no other. */
export type TerminalProcesses = {
  /** Signals the foreground group; false if there is none. */
  signalForeground(name: NodeJS.Signals): boolean
  /** Hangs up. Processes that stay longer than the grace get SIGTERM and SIGKILL. */
  end(graceMs: number): Promise<void>
}

export function createTerminalProcesses(pid: number, hasExited: () => boolean, log: Logger): TerminalProcesses {
  const session = createSessionProcesses(pid, hasExited, log)
  return {
    signalForeground(name) {
      if (hasExited()) return false
      const group = statOf(pid)?.foreground ?? pid
      return signal(-(group > 0 ? group : pid), name)
    },
    async end(graceMs) {
      await session.signalAll('SIGHUP')
      // Stopped processes receive nothing until they continue.
      await session.signalAll('SIGCONT')
      if (!(await session.goneWithin(graceMs))) await session.end()
    },
  }
}
