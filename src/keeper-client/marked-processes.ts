import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { childMark, keeperPaths } from '../keeper/protocol/paths.ts'
import type { Logger } from '../lib/log.ts'
import { childVariable, listProcesses, signal, type Process } from '../lib/process-list.ts'
import { createProcessTree, termMs, type ProcessRoot } from '../lib/process-tree.ts'

const killMs = 10_000
const lockMs = 1000

/** Ends processes a dead keeper left behind; returns how many. Only call when no keeper answers. */
export async function reapLeftovers(dataDir: string, log: Logger): Promise<number> {
  const paths = keeperPaths(dataDir)
  if (!existsSync(dataDir)) return 0
  using lock = await lockWithin(paths.lock, lockMs)
  if (!lock) {
    log.warn({}, 'a keeper is running: its processes are not ended')
    return 0
  }
  const mark = childMark(paths.homeHash, '')
  const seen = new Set<string>()
  const begun = Date.now()
  for (;;) {
    const left = leftovers(await listProcesses(), mark)
    if (left.length === 0) break
    for (const one of left) {
      const name = `${one.pid} ${one.started}`
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
  await rm(paths.socket, { force: true }).catch(() => {})
  await rm(paths.spool, { recursive: true, force: true }).catch(() => {})
  if (seen.size > 0) log.warn({ processes: seen.size }, 'processes that a dead keeper left behind were ended')
  return seen.size
}

/** The keeper's own lock: while we hold it, there is no keeper and none starts. A killed one may release it late. */
async function lockWithin(file: string, ms: number): Promise<Disposable | null> {
  const { lockKeeper } = await import('../keeper/protocol/lock.ts')
  const end = Date.now() + ms
  for (;;) {
    const lock = lockKeeper(file)
    if (lock || Date.now() > end) return lock
    await pause(50)
  }
}

/** Processes with this data directory's mark, except us and our ancestors: an agent may have started this server. */
function leftovers(all: readonly Process[], mark: string): Process[] {
  const own = new Set<number>()
  for (let pid = process.pid; pid > 1 && !own.has(pid);) {
    own.add(pid)
    pid = all.find((one) => one.pid === pid)?.parent ?? 0
  }
  return all.filter(({ pid, mark: theirs }) => theirs?.startsWith(mark) && !own.has(pid))
}

/** Marks a probe that no keeper holds, so that its processes are known; after a crash they are reaped with the others. */
export function probeMark(dataDir: string, name: string): { value: string; env: Record<string, string> } {
  const value = childMark(keeperPaths(dataDir).homeHash, `visit-${name}`)
  return { value, env: { [childVariable]: value } }
}

/** Ends a probe and all its processes. */
export async function endProbe(root: () => ProcessRoot, log: Logger): Promise<void> {
  await createProcessTree(root, log).end()
}
