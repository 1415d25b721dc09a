import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

type Left = { readonly pid: number; readonly command: string }

/** What belongs to one run, however many there are on this machine. */
export type Run = {
  /** For the environment of what the run starts. */
  readonly env: Readonly<Record<string, string>>
  /** What it started and still lives. */
  left(): Left[]
  /** The same, after so long at most: what is on its way out is not left behind. */
  leftAfter(ms: number): Promise<Left[]>
}

const lookAgainMs = 100

/**
 * A run is known by a mark in the environment, which children inherit also when their parents are long gone. Most of our
 * programs pass on few variables, and all of them PATH: so the mark is a folder in it, which is not there.
 */
export function createRun(mark = `signalbox-run-${randomUUID()}`): Run {
  const left = () =>
    pids().flatMap((pid) => (pid !== process.pid && environmentOf(pid).includes(mark) ? look(pid) : []))
  return {
    env: { PATH: `${process.env['PATH'] ?? '/usr/bin:/bin'}:/nonexistent/${mark}`, TEST_RUN: mark },
    left,
    async leftAfter(ms) {
      const end = Date.now() + ms
      for (;;) {
        const found = left()
        if (found.length === 0 || Date.now() >= end) return found
        await pause(lookAgainMs)
      }
    },
  }
}

/** Empty where there is no /proc: nothing is found there. */
function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** Latin-1, so that no byte is lost; empty where it has ended, or is none of ours. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

const environmentOf = (pid: number): string => read(`/proc/${pid}/environ`)

function look(pid: number): Left[] {
  const status = read(`/proc/${pid}/status`)
  if (status === '' || /^State:\s+[ZX]/m.test(status)) return []
  const command = read(`/proc/${pid}/cmdline`).split('\0').join(' ').trim()
  return [{ pid, command: command || (/^Name:\s+(.*)$/m.exec(status)?.[1] ?? '?') }]
}
