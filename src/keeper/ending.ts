import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../lib/log.ts'
import { belongingsOf, lookAround, type Root } from './belongings.ts'
import { signal, type Process } from './processes.ts'

export const termMs = 1000
const killMs = 10_000
const lookAgainMs = 25

/** What is left of a child, and what was seen of it before: who lost parent and mark since is still known. */
export type Tree = {
  left(): Promise<Process[]>
  /** True once nothing is left; false when the time is over. */
  goneWithin(ms: number): Promise<boolean>
  /** SIGTERM, a second, SIGKILL until nothing is left; false where something outlives even that. */
  end(): Promise<boolean>
}

export function createTree(root: () => Root, log: Logger): Tree {
  const known = new Map<number, string>()

  async function left(): Promise<Process[]> {
    const all = await lookAround()
    const found = new Set(belongingsOf(root(), all, process.pid))
    for (const one of all) if (known.get(one.pid) === one.started) found.add(one)
    for (const one of found) known.set(one.pid, one.started)
    return [...found]
  }

  async function signalAll(name: NodeJS.Signals): Promise<boolean> {
    const processes = await left()
    const { pid, hasExited } = root()
    // The group in one go, so that none of it sees another die and starts a new one.
    if (!hasExited) signal(-pid, name)
    for (const one of processes) signal(one.pid, name)
    return processes.length > 0 || !hasExited
  }

  async function goneWithin(ms: number): Promise<boolean> {
    const end = Date.now() + ms
    for (let wait = lookAgainMs; ; wait = Math.min(wait * 2, 250)) {
      if ((await left()).length === 0 && root().hasExited) return true
      if (Date.now() >= end) return false
      await pause(Math.min(wait, Math.max(1, end - Date.now())))
    }
  }

  return {
    left,
    goneWithin,
    async end() {
      if (!(await signalAll('SIGTERM'))) return true
      if (await goneWithin(termMs)) return true
      const end = Date.now() + killMs
      while (Date.now() < end) {
        await signalAll('SIGKILL')
        if (await goneWithin(lookAgainMs * 4)) return true
      }
      const pids = (await left()).map(({ pid }) => pid)
      log.error({ pids }, 'processes survived SIGKILL: the kernel holds them')
      return false
    },
  }
}
