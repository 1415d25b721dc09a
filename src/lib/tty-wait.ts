import { closeSync, openSync } from 'node:fs'
import { isStill, readAgain, readLine, statOf, type Stat } from './proc-files.ts'
import { ends, isForEvents, waitsFor } from './tty-syscall.ts'

export type Wait = {
  reading: 'read' | 'poll' | 'no'
  mark: string
  /** In a call that waits for one of several events. */
  isForEvents: boolean
}

/** What a thread is waiting for; null if it is gone. `device` and `tty` identify the terminal in question. */
export function waitOf(stat: Stat, tid: number, device: number, tty: string | null): Wait | null {
  const folder = `/proc/${stat.pid}/task/${tid}`
  const runs = slicesIn(readLine(`${folder}/schedstat`)) ?? switchesIn(readLine(`${folder}/status`))
  const call = readLine(`${folder}/syscall`)?.trimEnd() ?? null
  if (runs === null) return null
  const mark = `${stat.pid} ${tid} ${stat.started} ${runs} ${call ?? hidden}`
  if (call === null) return { reading: guess(stat, folder), mark, isForEvents: false }
  return { reading: waitsFor({ pid: stat.pid, call, device, tty }), mark, isForEvents: isForEvents(call) }
}

/** Used in a mark if the call is not readable: another user's process, or a system that forbids it. */
const hidden = 'hidden'
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
