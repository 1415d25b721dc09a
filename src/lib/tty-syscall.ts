import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { readLine } from './proc-files.ts'

type Kind = 'read' | 'poll' | 'select' | 'epoll' | 'uring'
type Reading = 'read' | 'poll' | 'no'

// From the kernel's system call table of the architecture.
const numbers: Readonly<Record<string, ReadonlyMap<number, Kind>>> = {
  x64: new Map<number, Kind>([
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
  arm64: new Map<number, Kind>([
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
export const ends = {
  reading: /^(n_tty_read|tty_read|wait_woken)/,
  never:
    /^(do_wait|hrtimer_nanosleep|do_nanosleep|futex|pipe_|do_sigtimedwait|sigsuspend|sys_pause|unix_stream|io_schedule)/,
}

const noTimeout = 0xffff_ffffn
/** /dev/tty is always device 5:0; for each process it means its own terminal. */
const devTty = 5 << 8
const mostSet = 1024

type Looked = { pid: number; call: string; device: number; tty: string | null }

export function isForEvents(call: string): boolean {
  const kind = numbers[process.arch]?.get(Number.parseInt(call, 10))
  return kind !== undefined && kind !== 'read'
}

/** Whether a thread in this call waits for a terminal: `call` is the line of /proc/<pid>/syscall. */
export function waitsFor({ pid, call, device, tty }: Looked): Reading {
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
