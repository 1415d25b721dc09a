import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { isStill, readAgain, readLine, statOf, type Stat } from './proc-files.ts'

export type Wait = {
  reading: 'read' | 'poll' | 'no'
  mark: string
  /** In a call that waits for one of several events. */
  isForEvents: boolean
  /** In a call that reads something, perhaps not the terminal. */
  isInRead: boolean
}

/** What a thread is waiting for; null if it is gone. `device` and `tty` identify the terminal in question. */
export function waitOf(stat: Stat, tid: number, device: number, tty: string | null): Wait | null {
  const folder = `/proc/${stat.pid}/task/${tid}`
  const runs = slicesIn(readLine(`${folder}/schedstat`)) ?? switchesIn(readLine(`${folder}/status`))
  const call = readLine(`${folder}/syscall`)?.trimEnd() ?? null
  if (runs === null) return null
  const mark = `${stat.pid} ${tid} ${stat.started} ${runs} ${call ?? hidden}`
  if (call === null) return { reading: guess(stat, folder), mark, isForEvents: false, isInRead: false }
  return {
    reading: waitsFor({ pid: stat.pid, call, device, tty }),
    mark,
    isForEvents: isForEvents(call),
    isInRead: kindOf(call) === 'read',
  }
}

/** Used in a mark if the call is not readable: another user's process, or a system that forbids it. */
export const hidden = 'hidden'
/** The kernel's value for a thread that is not in a call, or not asleep in one. */
const running = 'running'

/** How often a thread was scheduled, counted when it wakes. Zero if the kernel does not count it. */
function slicesIn(schedstat: string | null): string | null {
  const slices = /^\d+ \d+ (\d+)\s*$/.exec(schedstat ?? '')?.[1] ?? '0'
  return slices === '0' ? null : `s${slices}`
}

/** How often it slept, counted when it sleeps again. */
function switchesIn(status: string | null): string | null {
  const switches = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(status ?? '')?.[1]
  return switches === undefined ? null : `v${switches}`
}

/** For a process that can't be inspected: guesses from its state and, if shown, the kernel function it sleeps in. */
function guess({ state }: Stat, folder: string): Wait['reading'] {
  if (state !== 'S') return 'no'
  const place = readLine(`${folder}/wchan`) ?? '0'
  if (ends.reading.test(place)) return 'read'
  if (ends.never.test(place)) return 'no'
  return 'poll'
}

/** Checks one marked wait repeatedly. All files are opened in advance, so a check is only two reads. */
export type WaitWatch = Disposable & {
  /** The thread has not run since the mark was made. */
  isSame(): boolean
}

/** Null if the marked process is gone. */
export function watchWait(mark: string): WaitWatch | null {
  const [, pid, tid, started, runs, call] = /^(\d+) (\d+) (\d+) (\S+) (.+)$/s.exec(mark) ?? []
  if (!pid || !tid || statOf(Number(pid))?.started !== started) return null
  const folder = `/proc/${pid}/task/${tid}`
  const countsSlices = runs?.startsWith('s') === true
  const counts = open(`${folder}/${countsSlices ? 'schedstat' : 'status'}`)
  const calls = call === hidden ? null : open(`${folder}/syscall`)
  const close = () => {
    for (const fd of [counts, calls]) if (fd !== null) closeSync(fd)
  }
  if (counts === null || (calls === null && call !== hidden)) {
    close()
    return null
  }
  const first = readAgain(counts)
  const isUnmoved = (countsSlices ? slicesIn(first) : switchesIn(first)) === runs && call !== running
  const expected = Buffer.from(first ?? '', 'latin1')
  return {
    isSame() {
      if (!isUnmoved || (calls !== null && readAgain(calls)?.trimEnd() !== call)) return false
      // The cheapest check comes last: every microsecond until the write counts.
      return isStill(counts, expected)
    },
    [Symbol.dispose]: close,
  }
}

function open(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

type ReadingCall = 'read' | 'poll' | 'select' | 'epoll' | 'uring'
type Reading = 'read' | 'poll' | 'no'

// From the kernel's system call table of the architecture.
const numbers: Readonly<Record<string, ReadonlyMap<number, ReadingCall>>> = {
  x64: new Map<number, ReadingCall>([
    [0, 'read'],
    [19, 'read'],
    [295, 'read'],
    [327, 'read'],
    [7, 'poll'],
    [271, 'poll'],
    [23, 'select'],
    [270, 'select'],
    [232, 'epoll'],
    [281, 'epoll'],
    [441, 'epoll'],
    [426, 'uring'],
  ]),
  arm64: new Map<number, ReadingCall>([
    [63, 'read'],
    [65, 'read'],
    [69, 'read'],
    [286, 'read'],
    [73, 'poll'],
    [72, 'select'],
    [22, 'epoll'],
    [441, 'epoll'],
    [426, 'uring'],
  ]),
}

/** Kernel functions a process sleeps in, for processes that show no more than that. */
const ends = {
  reading: /^(n_tty_read|tty_read|wait_woken)/,
  never:
    /^(do_wait|hrtimer_nanosleep|do_nanosleep|futex|pipe_|do_sigtimedwait|sigsuspend|sys_pause|unix_stream|io_schedule)/,
}

const noTimeout = 0xffff_ffffn
/** /dev/tty is always device 5:0; for each process it means its own terminal. */
const devTty = 5 << 8
const mostSet = 1024

type SleepingCall = { pid: number; call: string; device: number; tty: string | null }

const kindOf = (call: string): ReadingCall | undefined => numbers[process.arch]?.get(Number.parseInt(call, 10))

function isForEvents(call: string): boolean {
  const kind = kindOf(call)
  return kind !== undefined && kind !== 'read'
}

/** Whether a thread in this call waits for a terminal: `call` is the line of /proc/<pid>/syscall. */
function waitsFor({ pid, call, device, tty }: SleepingCall): Reading {
  const [name = '', ...words] = call.split(' ')
  const kind = numbers[process.arch]?.get(Number(name))
  if (!kind || words.length < 6) return 'no'
  const args = words.slice(0, 6).map(BigInt)
  const isTty = (fd: number) => isTerminal(pid, fd, device, tty)
  const [a = 0n, b = 0n, , , e = 0n] = args
  if (kind === 'read') return isTty(Number(a)) ? 'read' : 'no'
  if (kind === 'uring') return holdsTerminal(pid, isTty) ? 'poll' : 'no'
  if (kind === 'epoll') return waitsIn(epollSet(pid, Number(a)), pid, isTty, lowInt(args[3]) === noTimeout)
  if (kind === 'poll') {
    // poll has its timeout in milliseconds, negative for none; ppoll has a pointer.
    const isEndless = process.arch === 'x64' && Number(name) === 7 ? lowInt(args[2]) === noTimeout : args[2] === 0n
    return waitsIn(pollSet(pid, a, Number(b)), pid, isTty, isEndless)
  }
  return waitsIn(selectSet(pid, b, Number(a)), pid, isTty, e === 0n)
}

const lowInt = (value: bigint | undefined): bigint => (value ?? 0n) & 0xffff_ffffn

/** Waiting only for the terminal, without a timeout, is reading. Null: the set is unknown, so check the open files. */
function waitsIn(
  set: readonly number[] | null,
  pid: number,
  isTty: (fd: number) => boolean,
  isEndless: boolean,
): Reading {
  if (!set) return holdsTerminal(pid, isTty) ? 'poll' : 'no'
  const terminals = set.filter(isTty)
  if (terminals.length === 0) return 'no'
  return isEndless && terminals.length === set.length ? 'read' : 'poll'
}

/** The files an epoll descriptor watches for input. */
function epollSet(pid: number, fd: number): number[] | null {
  const text = readLine(`/proc/${pid}/fdinfo/${fd}`)
  if (text === null) return null
  return [...text.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)]
    .filter(([, , events = '0']) => (Number.parseInt(events, 16) & 1) !== 0)
    .map(([, watched]) => Number(watched))
}

function pollSet(pid: number, at: bigint, count: number): number[] | null {
  if (count === 0) return []
  const bytes = memoryOf(pid, at, Math.min(count, mostSet) * 8)
  if (!bytes) return null
  const watched: number[] = []
  for (let start = 0; start < bytes.length; start += 8) {
    const wantsInput = (bytes.readInt16LE(start + 4) & 0x41) !== 0
    if (wantsInput && bytes.readInt32LE(start) >= 0) watched.push(bytes.readInt32LE(start))
  }
  return watched
}

function selectSet(pid: number, at: bigint, count: number): number[] | null {
  if (count === 0 || at === 0n) return []
  const most = Math.min(count, mostSet)
  const bytes = memoryOf(pid, at, Math.ceil(most / 8))
  if (!bytes) return null
  return Array.from({ length: most }, (_, fd) => fd).filter((fd) => ((bytes[fd >> 3] ?? 0) >> (fd & 7)) & 1)
}

function memoryOf(pid: number, at: bigint, length: number): Buffer | null {
  try {
    const fd = openSync(`/proc/${pid}/mem`, 'r')
    try {
      const bytes = Buffer.alloc(length)
      return readSync(fd, bytes, 0, length, at) === length ? bytes : null
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

/** Its standard input, or a file it opened itself: its output does not show what it waits for. */
function holdsTerminal(pid: number, isTty: (fd: number) => boolean): boolean {
  if (isTty(0)) return true
  try {
    return readdirSync(`/proc/${pid}/fd`).some((name) => Number(name) > 2 && isTty(Number(name)))
  } catch {
    return false
  }
}

/** Compares device numbers: in containers the path may differ. */
function isTerminal(pid: number, fd: number, device: number, tty: string | null): boolean {
  try {
    const { rdev } = statSync(`/proc/${pid}/fd/${fd}`)
    return rdev !== 0 && (rdev === device || rdev === devTty || (tty !== null && rdev === statSync(tty).rdev))
  } catch {
    return false
  }
}
