import { closeSync, openSync, readSync } from 'node:fs'

/** The fields of /proc/<pid>/stat. */
export type Stat = {
  pid: number
  name: string
  state: string
  parent: number
  group: number
  session: number
  /** The terminal's device number; 0 if it has none. */
  tty: number
  /** The foreground group of the terminal. */
  foreground: number
  threads: number
  /** In ticks since boot: together with the pid it identifies a process. */
  started: string
}

// Shared buffer: its content is converted to a string before the next read.
const scratch = Buffer.allocUnsafeSlow(16 * 1024)

/** The beginning of a small kernel file; null if it can't be read. */
export function readLine(path: string): string | null {
  let fd: number
  const limit = Error.stackTraceLimit
  // Missing files are normal here, and errors without a stack are cheap.
  Error.stackTraceLimit = 0
  try {
    fd = openSync(path, 'r')
  } catch {
    return null
  } finally {
    Error.stackTraceLimit = limit
  }
  try {
    return readAgain(fd)
  } finally {
    closeSync(fd)
  }
}

/** The file's current content from an open descriptor; null if its process is gone. */
export function readAgain(fd: number): string | null {
  try {
    return scratch.toString('latin1', 0, readSync(fd, scratch, 0, scratch.length, 0))
  } catch {
    return null
  }
}

/** Whether an open file still has the expected content. */
export function isStill(fd: number, expected: Buffer): boolean {
  try {
    const size = readSync(fd, scratch, 0, scratch.length, 0)
    return size === expected.length && scratch.compare(expected, 0, size, 0, size) === 0
  } catch {
    return false
  }
}

export function statOf(pid: number): Stat | null {
  const line = readLine(`/proc/${pid}/stat`)
  if (!line) return null
  // The name is in brackets and may itself contain brackets and spaces.
  const open = line.indexOf('(')
  const close = line.lastIndexOf(')')
  const fields = line.slice(close + 2).split(' ')
  const number = (at: number) => Number(fields[at] ?? 0)
  return {
    pid,
    name: Buffer.from(line.slice(open + 1, close), 'latin1').toString(),
    state: fields[0] ?? '',
    parent: number(1),
    group: number(2),
    session: number(3),
    tty: number(4),
    foreground: number(5),
    threads: number(17),
    started: fields[19] ?? '',
  }
}
