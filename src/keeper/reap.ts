import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../lib/log.ts'
import { termMs } from './ending.ts'
import { childMark, placeOf } from './place.ts'
import { listProcesses, signal, type Process } from './processes.ts'

const killMs = 10_000
const lockMs = 1000

/** Ends processes a dead keeper left behind; gives how many. Only call when no keeper answers. */
export async function reapLeftovers(dataDir: string, log: Logger): Promise<number> {
  const place = placeOf(dataDir)
  if (!existsSync(dataDir)) return 0
  using lock = await lockWithin(place.lock, lockMs)
  if (!lock) {
    log.warn({}, 'a keeper is running: its processes are not ended')
    return 0
  }
  const mark = childMark(place.homeHash, '')
  const seen = new Set<string>()
  const begun = Date.now()
  for (;;) {
    const left = leftovers(await listProcesses(), mark)
    if (left.length === 0) break
    for (const one of left) {
      const name = `${one.pid} ${one.started}`
      // First asked, then made to.
      if (!seen.has(name)) signal(one.pid, 'SIGTERM')
      else if (Date.now() - begun > termMs) signal(one.pid, 'SIGKILL')
      seen.add(name)
    }
    if (Date.now() - begun > termMs + killMs) {
      log.error({ pids: left.map(({ pid }) => pid) }, 'processes of a dead keeper survived SIGKILL')
      break
    }
    await pause(50)
  }
  await rm(place.socket, { force: true }).catch(() => {})
  await rm(place.spool, { recursive: true, force: true }).catch(() => {})
  if (seen.size > 0) log.warn({ processes: seen.size }, 'processes that a dead keeper left behind were ended')
  return seen.size
}

/** The keeper's own lock: held, there is no keeper and none starts. A killed one may take a moment to let go of it. */
async function lockWithin(file: string, ms: number): Promise<Disposable | null> {
  const { lockKeeper } = await import('./lock.ts')
  const end = Date.now() + ms
  for (;;) {
    const lock = lockKeeper(file)
    if (lock || Date.now() > end) return lock
    await pause(50)
  }
}

/** Those with this data directory's mark, but neither us nor whoever started us: an agent may have started this server. */
function leftovers(all: readonly Process[], mark: string): Process[] {
  const own = new Set<number>()
  for (let pid = process.pid; pid > 1 && !own.has(pid);) {
    own.add(pid)
    pid = all.find((one) => one.pid === pid)?.parent ?? 0
  }
  return all.filter(({ pid, mark: theirs }) => theirs?.startsWith(mark) && !own.has(pid))
}
