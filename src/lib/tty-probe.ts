import { readdirSync } from 'node:fs'
import { readLine, statOf, type Stat } from './proc-files.ts'
import { foregroundGroup } from './proc-group.ts'
import { isReadElsewhere } from './tty-elsewhere.ts'
import { waitOf, type Wait } from './tty-wait.ts'

export { watchWait } from './tty-wait.ts'

/** The program in a terminal's foreground, and whether it waits for input there. */
export type Foreground = {
  pid: number
  program: string
  /**
   * 'read': blocked until the terminal has input. 'poll': in a call that input ends, among other things, or in one that
   * can't be inspected. 'no': neither.
   */
  reading: 'read' | 'poll' | 'no'
  /** Identifies this wait: it stays the same until the process runs again. */
  mark: string
  /** Bytes written so far, if it is reading and the count is accessible. */
  wrote: string | null
  group: number
}

const mostThreads = 64

/** Uses only /proc; null if there is none, or nothing runs in the foreground. */
export function probeForeground(sessionLeaderPid: number, tty: string | null): Foreground | null {
  const leader = statOf(sessionLeaderPid)
  if (!leader) return null
  const group = leader.foreground
  if (group <= 0) return null
  const { members, apart } = foregroundGroup(leader, group)
  const best = strongest(members, leader.tty, tty)
  if (!best) return null
  // The foreground process only waits for another one, and that one reads.
  const behind = best.wait.reading === 'no' && tty !== null ? strongest(apart, leader.tty, tty) : null
  const { wait, stat } = behind !== null && behind.wait.reading !== 'no' ? behind : best
  const isHandedOn = wait.reading === 'no' && wait.isForEvents && tty !== null
  const reading = isHandedOn && isReadElsewhere(leader.session, leader.tty, tty) ? 'poll' : wait.reading
  const wrote = reading === 'read' ? writtenBy(wait.mark) : null
  return { pid: stat.pid, program: programName(stat), reading, mark: wait.mark, wrote, group }
}

function strongest(stats: readonly Stat[], device: number, tty: string | null): { wait: Wait; stat: Stat } | null {
  let best: { wait: Wait; stat: Stat } | null = null
  for (const stat of stats) {
    const wait = strongestWait(stat, device, tty)
    if (wait && (!best || rank[wait.reading] > rank[best.wait.reading])) best = { wait, stat }
    if (wait?.reading === 'read') break
  }
  return best
}

const rank = { no: 0, poll: 1, read: 2 } as const

/** Any thread may be the reader. The first usually is; the others are checked only if it is not. */
function strongestWait(stat: Stat, device: number, tty: string | null): Wait | null {
  const first = waitOf(stat, stat.pid, device, tty)
  if (stat.threads <= 1 || (first && first.reading !== 'no')) return first
  let best = first
  for (const tid of threadsOf(stat.pid)) {
    if (tid === stat.pid) continue
    const wait = waitOf(stat, tid, device, tty)
    if (wait && (!best || rank[wait.reading] > rank[best.reading])) best = wait
    if (wait?.reading === 'read') break
  }
  return best
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).slice(0, mostThreads).map(Number)
  } catch {
    return []
  }
}

/**
 * Whether two marks identify the same wait. Strict: the thread has not run in between. Otherwise: it waits in the same
 * place, and may have briefly woken up.
 */
export function sameWait(a: string, b: string, strict: boolean): boolean {
  if (a === b) return true
  if (strict) return false
  const [left, right] = [placeIn(a), placeIn(b)]
  return left !== null && left === right
}

/** The parts of a mark that give the place: process, thread, call, its first argument, stack and program pointers. */
function placeIn(mark: string): string | null {
  const words = mark.split(' ')
  return words.length < 5 ? null : [...words.slice(0, 3), ...words.slice(4, 6), ...words.slice(-2)].join(' ')
}

/** Counts only this thread: the process's count includes children that it has waited for. */
function writtenBy(mark: string): string | null {
  const [pid, tid] = mark.split(' ')
  return /^wchar: (\d+)$/m.exec(readLine(`/proc/${pid}/task/${tid}/io`) ?? '')?.[1] ?? null
}

/** Some runtimes replace the program's name with a thread name. */
function programName({ pid, name }: { pid: number; name: string }): string {
  if (name !== 'MainThread') return name
  const words = readLine(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  return words[0]?.split('/').at(-1) || name
}
