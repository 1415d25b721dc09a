import { readdirSync, readlinkSync } from 'node:fs'
import { statOf } from './proc-files.ts'
import { waitOf } from './tty-wait.ts'

const keptMs = 5000
const kept = new Map<string, { until: number; pids: number[] }>()

/**
 * Whether a process of another session waits for input of this terminal: tmux and screen pass the terminal to their
 * server and only stay in its foreground. Processes that have it open are looked up occasionally, their waits each time.
 */
export function isReadElsewhere(session: number, device: number, tty: string): boolean {
  const key = `${session} ${tty}`
  const known = kept.get(key)
  const holders = known && known.until > performance.now() ? known.pids : holdersOf(session, tty)
  if (holders !== known?.pids) remember(key, holders)
  return holders.some((pid) => {
    const stat = statOf(pid)
    return stat !== null && waitOf(stat, pid, device, tty)?.reading === 'poll'
  })
}

function remember(key: string, pids: number[]): void {
  const now = performance.now()
  for (const [old, { until }] of kept) if (until <= now) kept.delete(old)
  kept.set(key, { until: now + keptMs, pids })
}

/** Programs that take over a terminal have none of their own. */
function holdersOf(session: number, tty: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = statOf(pid)
      return stat !== null && stat.tty === 0 && stat.session !== session && hasOpen(pid, tty)
    })
}

function hasOpen(pid: number, tty: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === tty)
  } catch {
    return false
  }
}

function linkOf(path: string): string | null {
  try {
    return readlinkSync(path)
  } catch {
    return null
  }
}
