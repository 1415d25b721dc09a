import { readdirSync, readlinkSync } from 'node:fs'
import { readLine, statOf, type Stat } from './proc-files.ts'
import { hidden, waitOf, type Wait } from './tty-wait.ts'

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
  /** It passes keys on to programs that can't be seen from here, so its own wait says nothing about theirs. */
  relays?: true
}

const mostThreads = 64

/** Uses only /proc; null if there is none, or nothing runs in the foreground. */
export function probeForeground(sessionLeaderPid: number, tty: string | null, depth = 0): Foreground | null {
  const leader = statOf(sessionLeaderPid)
  if (!leader) return null
  const group = leader.foreground
  if (group <= 0) return null
  const { members, apart, within } = foregroundGroup(leader, group)
  const best = strongest(members, leader.tty, tty)
  if (!best) return null
  // The foreground process only waits for another one, and that one reads.
  const behind = best.wait.reading === 'no' && tty !== null ? strongest(apart, leader.tty, tty) : null
  const own = behind !== null && behind.wait.reading !== 'no' ? behind : best
  const mayAskFor = own.wait.reading === 'no' && mayAsk(own.wait)
  const elsewhere = mayAskFor && tty !== null ? readerElsewhere(leader.session, leader.tty, tty) : null
  // It asked a program that reads for it, as gpg does: that one is who reads. What only has events to wait for passes keys on.
  if (elsewhere && (elsewhere.wait.reading === 'read' || own.wait.isInRead))
    return seenIn(elsewhere, elsewhere.wait.reading, group)
  const { wait } = own
  const isHandedOn = elsewhere !== null && wait.isForEvents
  const inside = wait.reading === 'poll' && within.length > 0 ? behindRelay(own, within, group, depth) : null
  if (inside) return inside
  return { ...seenIn(own, isHandedOn ? 'poll' : wait.reading, group), ...(isHandedOn && { relays: true as const }) }
}

type Waiting = { wait: Wait; stat: Stat }

const seenIn = ({ wait, stat }: Waiting, reading: Foreground['reading'], group: number): Foreground => {
  const wrote = reading === 'read' ? writtenBy(wait.mark) : null
  return { pid: stat.pid, program: programName(stat), reading, mark: wait.mark, wrote, group }
}

/** Relays in relays: enough for sudo in script in expect. */
const deepest = 4
/** They give their keys to a program in a terminal of its own, and ask nothing themselves while it runs. */
const relays = new Set(['script', 'sudo', 'su', 'doas', 'runuser', 'systemd-run'])
/** They may ask something themselves, too. */
const relaysThatAsk = new Set(['expect', 'unbuffer'])

/** A relay reads all the time. Only the program inside knows whether it waits; null if this is no relay. */
function behindRelay(own: Waiting, within: readonly Stat[], group: number, depth: number): Foreground | null {
  const name = programName(own.stat)
  if (!relays.has(name) && !relaysThatAsk.has(name)) return null
  const [inner, ...others] = within
  const tty = inner === undefined || others.length > 0 ? null : terminalOf(inner.pid)
  const seen = inner && tty !== null && depth < deepest ? probeForeground(inner.pid, tty, depth + 1) : null
  const isKnown = seen !== null && !seen.mark.endsWith(hidden) && (relays.has(name) || seen.reading === 'read')
  return isKnown ? { ...seen, group } : { ...seenIn(own, 'poll', group), relays: true }
}

/** The terminal that a program has as its input. */
function terminalOf(pid: number): string | null {
  for (const fd of [0, 1, 2]) {
    const path = linkOf(`/proc/${pid}/fd/${fd}`)
    if (path?.startsWith('/dev/pts/')) return path
  }
  return null
}

function strongest(stats: readonly Stat[], device: number, tty: string | null): Waiting | null {
  let best: Waiting | null = null
  for (const stat of stats) {
    const wait = strongestWait(stat, device, tty)
    if (wait && (!best || order(wait) > order(best.wait))) best = { wait, stat }
    if (wait?.reading === 'read') break
  }
  return best
}

/** Of those that do not read, one that waits to be told something may have asked another program to read. */
const order = (wait: Wait): number => rank[wait.reading] + (mayAsk(wait) ? 0.5 : 0)
const mayAsk = ({ isForEvents, isInRead }: Wait): boolean => isForEvents || isInRead

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
  /** Leaders of sessions in terminals of their own: programs in relays. */
  within: Stat[]
}

/** The living processes of a foreground group, searched from the session's leader down; in all of /proc if none is found. */
function foregroundGroup(leader: Stat, group: number): ProcessGroup {
  const found = belowLeader(leader, group)
  return found.members.length > 0 ? found : { members: everywhere(leader, group), apart: [], within: [] }
}

function belowLeader(leader: Stat, group: number): ProcessGroup {
  const found: Stat[] = []
  const apart: Stat[] = []
  const within: Stat[] = []
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
    // What runs in there belongs to that terminal.
    if (stat.session !== leader.session && stat.tty !== 0) {
      if (isLeader(stat)) within.push(stat)
      continue
    }
    for (const pid of childrenOf(stat)) {
      const child = statOf(pid)
      if (child) line.push(child)
    }
  }
  return { members: found, apart, within }
}

const isLeader = ({ pid, session, state }: Stat): boolean => pid === session && state !== 'Z' && state !== 'X'

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
/** A program that asks for another is not there from the start. */
const noneMs = 1000
const kept = new Map<string, { until: number; pids: number[] }>()

/**
 * A process of another session that waits for input of this terminal: tmux and screen pass the terminal to their server
 * and only stay in its foreground, and gpg has its agent start a program that asks there. Processes that have it open
 * are looked up occasionally, their waits each time.
 */
function readerElsewhere(session: number, device: number, tty: string): Waiting | null {
  const key = `${session} ${tty}`
  const known = kept.get(key)
  const holders = known && known.until > performance.now() ? known.pids : holdersOf(session, tty)
  if (holders !== known?.pids) remember(key, holders)
  const readers = holders.flatMap((pid): Waiting[] => {
    const stat = statOf(pid)
    const wait = stat && waitOf(stat, pid, device, tty)
    return stat && wait && wait.reading !== 'no' ? [{ stat, wait }] : []
  })
  return readers.find(({ wait }) => wait.reading === 'read') ?? readers[0] ?? null
}

function remember(key: string, pids: number[]): void {
  const now = performance.now()
  for (const [old, { until }] of kept) if (until <= now) kept.delete(old)
  kept.set(key, { until: now + (pids.length > 0 ? keptMs : noneMs), pids })
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
