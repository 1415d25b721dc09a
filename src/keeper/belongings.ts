import { listProcesses, type Process } from './processes.ts'

export type Root = {
  pid: number
  mark: string
  /** The process itself has ended, so that its number may be another's. */
  hasExited: boolean
}

/**
 * Everything of a child: its group and session, whatever carries its mark, and all their descendants. Shells that left
 * the group are found by the mark, programs that hide their environment by their parent.
 */
export function belongingsOf(root: Root, all: readonly Process[], keeperPid: number): Process[] {
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

type Looking = { now: Promise<Process[]>; next: Promise<Process[]> | null }
let looking: Looking | null = null

/** One look serves all who asked before it began: many children may end at once. */
export function lookAround(): Promise<Process[]> {
  if (looking) return (looking.next ??= looking.now.then(begin, begin))
  return begin()
}

function begin(): Promise<Process[]> {
  const mine: Looking = { now: listProcesses(), next: null }
  looking = mine
  void mine.now.finally(() => {
    if (looking === mine && !mine.next) looking = null
  })
  return mine.now
}
