import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from './log.ts'
import { listProcesses, signal, type Process } from './process-list.ts'

export type ProcessRoot = {
  pid: number
  mark: string
  /** The process itself has ended, so its pid may have been reused. */
  hasExited: boolean
}

/**
 * Every process of a root: its group and session, everything that carries its mark, and all their descendants. The mark
 * finds shells that left the group; the parent finds programs that hide their environment.
 */
export function processTreeOf(root: ProcessRoot, all: readonly Process[], keeperPid: number): Process[] {
  const isReused = root.hasExited && all.some(({ pid, mark }) => pid === root.pid && mark !== root.mark)
  const isFirst = ({ pid, group, session, mark }: Process) =>
    mark === root.mark || (!isReused && (pid === root.pid || group === root.pid || session === root.pid))
  const found = new Set(all.filter(isFirst))
  const pids = new Set([...found].map(({ pid }) => pid))
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const process of all) {
      if (found.has(process) || !pids.has(process.parent)) continue
      found.add(process)
      pids.add(process.pid)
    }
  }
  return [...found].filter(({ pid }) => pid !== keeperPid && pid > 1)
}

type SharedList = { now: Promise<Process[]>; next: Promise<Process[]> | null }
let shared: SharedList | null = null

/** One listing serves all callers that asked before it began: many children may end at once. */
export function listProcessesShared(): Promise<Process[]> {
  if (shared) return (shared.next ??= shared.now.then(begin, begin))
  return begin()
}

function begin(): Promise<Process[]> {
  const mine: SharedList = { now: listProcesses(), next: null }
  shared = mine
  void mine.now.finally(() => {
    if (shared === mine && !mine.next) shared = null
  })
  return mine.now
}

export const termMs = 1000
const killMs = 10_000
const lookAgainMs = 25

/** Processes that are ended together. */
export type EndableProcesses = {
  signalAll(name: NodeJS.Signals): Promise<void>
  /** True when none is left; false if the time runs out. */
  goneWithin(ms: number): Promise<boolean>
  /** SIGTERM, then SIGKILL after a second, until none is left; false if some survive even that. */
  end(): Promise<boolean>
}

/** The process tree of a root. A process seen once still counts after it lost its parent and its mark. */
export function createProcessTree(root: () => ProcessRoot, log: Logger): EndableProcesses {
  const known = new Map<number, string>()

  async function left(): Promise<Process[]> {
    const all = await listProcessesShared()
    const found = new Set(processTreeOf(root(), all, process.pid))
    for (const one of all) if (known.get(one.pid) === one.started) found.add(one)
    for (const one of found) known.set(one.pid, one.started)
    return [...found]
  }
  return endable({ pid: () => root().pid, hasExited: () => root().hasExited, left, log })
}

/** The processes of one terminal: only those of its session. */
export function createSessionProcesses(pid: number, hasExited: () => boolean, log: Logger): EndableProcesses {
  async function left(): Promise<Process[]> {
    const all = await listProcessesShared()
    // After its leader has exited, this pid may belong to another process.
    if (hasExited() && all.some((one) => one.pid === pid)) return []
    return all.filter(({ session }) => session === pid)
  }
  return endable({ pid: () => pid, hasExited, left, log })
}

type Deps = { pid(): number; hasExited(): boolean; left(): Promise<Process[]>; log: Logger }

function endable({ pid, hasExited, left, log }: Deps): EndableProcesses {
  async function signalAll(name: NodeJS.Signals): Promise<void> {
    const processes = await left()
    // Signals the group at once, so that no member sees another die and restarts it.
    if (!hasExited()) signal(-pid(), name)
    for (const one of processes) if (hasExited() || one.group !== pid()) signal(one.pid, name)
  }

  async function goneWithin(ms: number): Promise<boolean> {
    const end = Date.now() + ms
    for (let wait = lookAgainMs; ; wait = Math.min(wait * 2, 250)) {
      if ((await left()).length === 0 && hasExited()) return true
      if (Date.now() >= end) return false
      await pause(Math.min(wait, Math.max(1, end - Date.now())))
    }
  }

  return {
    signalAll,
    goneWithin,
    async end() {
      await signalAll('SIGTERM')
      if (await goneWithin(termMs)) return true
      const end = Date.now() + killMs
      while (Date.now() < end) {
        await signalAll('SIGKILL')
        if (await goneWithin(lookAgainMs * 4)) return true
      }
      const pids = (await left()).map((one) => one.pid)
      log.error({ pids }, 'processes survived SIGKILL: the kernel holds them')
      return false
    },
  }
}
