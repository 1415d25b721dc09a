import { setTimeout as pause } from 'node:timers/promises'
import { statOf } from '../../lib/proc-files.ts'
import type { Logger } from '../../lib/log.ts'
import { lookAround } from '../belongings.ts'
import { termMs } from '../ending.ts'
import { signal, type Process } from '../processes.ts'

const killMs = 10_000
const lookAgainMs = 25

/** The processes of a terminal: those of its session, and of no other. */
export type TerminalSession = {
  /** To the group in the foreground; says whether there was one. */
  signalForeground(name: NodeJS.Signals): boolean
  /** Hangs up; whoever stays beyond the grace gets SIGTERM and SIGKILL. */
  end(graceMs: number): Promise<void>
}

export function createTerminalSession(pid: number, hasExited: () => boolean, log: Logger): TerminalSession {
  async function left(): Promise<Process[]> {
    const all = await lookAround()
    // Once its leader has ended and left no one, the number may be another's.
    if (hasExited() && all.some((one) => one.pid === pid)) return []
    return all.filter(({ session }) => session === pid)
  }

  async function signalAll(name: NodeJS.Signals): Promise<void> {
    const processes = await left()
    if (!hasExited()) signal(-pid, name)
    for (const one of processes) if (one.group !== pid || hasExited()) signal(one.pid, name)
  }

  async function goneWithin(ms: number): Promise<boolean> {
    const end = Date.now() + ms
    for (let wait = lookAgainMs; ; wait = Math.min(wait * 2, 250)) {
      if (hasExited() && (await left()).length === 0) return true
      if (Date.now() >= end) return false
      await pause(Math.min(wait, Math.max(1, end - Date.now())))
    }
  }

  return {
    signalForeground(name) {
      if (hasExited()) return false
      const group = statOf(pid)?.foreground ?? pid
      return signal(-(group > 0 ? group : pid), name)
    },
    async end(graceMs) {
      await signalAll('SIGHUP')
      // Stopped ones hear nothing until they go on.
      await signalAll('SIGCONT')
      if (await goneWithin(graceMs)) return
      await signalAll('SIGTERM')
      if (await goneWithin(termMs)) return
      const end = Date.now() + killMs
      while (Date.now() < end) {
        await signalAll('SIGKILL')
        if (await goneWithin(lookAgainMs * 4)) return
      }
      log.error({ pid }, 'processes of a terminal survived SIGKILL: the kernel holds them')
    },
  }
}
