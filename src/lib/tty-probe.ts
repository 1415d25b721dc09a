import { readdirSync } from 'node:fs'
import { readLine, statOf, type Stat } from './proc-files.ts'
import { foregroundGroup } from './proc-group.ts'
import { isReadElsewhere } from './tty-elsewhere.ts'
import { waitOf, type Wait } from './tty-wait.ts'

export { watchWait } from './tty-wait.ts'

/** What runs in a terminal's foreground, and whether it waits for what is typed there. */
export type Foreground = {
  pid: number
  program: string
  /**
   * 'read': blocked until the terminal gives input. 'poll': in a call that input ends, among other things, or in one
   * that can't be looked into. 'no': neither.
   */
  reading: 'read' | 'poll' | 'no'
  /** Names this very wait: as long as the process has not run since, it stays the same. */
  mark: string
  /** How many bytes it has written so far, where it reads and that may be looked at. */
  wrote: string | null
  group: number
}

const mostThreads = 64

/** From /proc alone; null where there is none, or nothing runs in the foreground. */
export function probeForeground(sessionLeaderPid: number, tty: string | null): Foreground | null {
  const leader = statOf(sessionLeaderPid)
  if (!leader) return null
  const group = leader.foreground
  if (group <= 0) return null
  const { members, apart } = foregroundGroup(leader, group)
  const best = strongest(members, leader.tty, tty)
  if (!best) return null
  // Who stands in front only waits for another to end, and that one reads.
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

/** A reader may be any thread; others are looked at where the first, which usually reads, does not. */
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
 * Whether two marks stand for one wait: strictly, that the thread has not run in between; else, that it waits in the
 * same place, having perhaps looked at a clock.
 */
export function sameWait(a: string, b: string, strict: boolean): boolean {
  if (a === b) return true
  if (strict) return false
  const [left, right] = [placeIn(a), placeIn(b)]
  return left !== null && left === right
}

/** Of a mark: process, thread, call, its first argument, and where the stack and the program stand. */
function placeIn(mark: string): string | null {
  const words = mark.split(' ')
  return words.length < 5 ? null : [...words.slice(0, 3), ...words.slice(4, 6), ...words.slice(-2)].join(' ')
}

/** By the thread alone: what its process has waited for to end would be counted as its own. */
function writtenBy(mark: string): string | null {
  const [pid, tid] = mark.split(' ')
  return /^wchar: (\d+)$/m.exec(readLine(`/proc/${pid}/task/${tid}/io`) ?? '')?.[1] ?? null
}

/** Some runtimes name their threads over the program's name. */
function programName({ pid, name }: { pid: number; name: string }): string {
  if (name !== 'MainThread') return name
  const words = readLine(`/proc/${pid}/cmdline`)?.split('\0') ?? []
  return words[0]?.split('/').at(-1) || name
}
