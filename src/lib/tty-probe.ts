import { readdirSync, readlinkSync } from 'node:fs'
import { readLine, statOf, type Stat } from './proc-files.ts'
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

// Builds may start hundreds of processes: this many are enough.
const mostLooked = 200
const mostMembers = 32

type ProcessGroup = {
  members: Stat[]
  /** Descendants in sessions without a terminal of their own: `su -c` and `setsid` put programs there. */
  apart: Stat[]
}

/** The living processes of a foreground group, searched from the session's leader down; in all of /proc if none is found. */
function foregroundGroup(leader: Stat, group: number): ProcessGroup {
  const found = belowLeader(leader, group)
  return found.members.length > 0 ? found : { members: everywhere(leader, group), apart: [] }
}

function belowLeader(leader: Stat, group: number): ProcessGroup {
  const found: Stat[] = []
  const apart: Stat[] = []
  const line: Stat[] = [leader]
  // The group's leader is usually still there, so it is checked first.
  const first = group === leader.pid ? null : statOf(group)
  if (first && isMember(first, group) && first.session === leader.session) found.push(first)
  for (let at = 0; at < line.length && at < mostLooked; at += 1) {
    const stat = line[at]
    if (!stat) break
    if (isMember(stat, group) && stat.pid !== first?.pid) found.push(stat)
    if (stat.session !== leader.session && stat.tty === 0 && apart.length < mostMembers) apart.push(stat)
    if (found.length >= mostMembers) break
    for (const pid of childrenOf(stat)) {
      const child = statOf(pid)
      if (child) line.push(child)
    }
  }
  return { members: found, apart }
}

const isMember = ({ state, group }: Stat, wanted: number): boolean => group === wanted && state !== 'Z' && state !== 'X'

function childrenOf({ pid, threads }: Stat): number[] {
  const tids = threads > 1 ? namesIn(`/proc/${pid}/task`) : [String(pid)]
  return tids.flatMap((tid) => readLine(`/proc/${pid}/task/${tid}/children`)?.trim().split(' ').map(Number) ?? [])
}

/** Processes whose parent has ended are not below the leader. */
function everywhere(leader: Stat, group: number): Stat[] {
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? [])
    .filter((stat) => isMember(stat, group) && stat.session === leader.session)
    .slice(0, mostMembers)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const keptMs = 5000
const kept = new Map<string, { until: number; pids: number[] }>()

/**
 * Whether a process of another session waits for input of this terminal: tmux and screen pass the terminal to their
 * server and only stay in its foreground. Processes that have it open are looked up occasionally, their waits each time.
 */
function isReadElsewhere(session: number, device: number, tty: string): boolean {
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
