import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

type Left = { readonly pid: number; readonly command: string }

/** The processes of one run, even if several run on this machine. */
export type Run = {
  /** Environment for the processes of the run. */
  readonly env: Readonly<Record<string, string>>
  /** Processes of the run that are still alive. */
  left(): Left[]
  /** The same after a wait, so that processes that are ending are not counted. */
  leftAfter(ms: number): Promise<Left[]>
}

const lookAgainMs = 100

/**
 * A run is recognized by a mark in the environment, which children inherit even after their parents ended. Our programs
 * pass on few variables, but always PATH: so the mark is a folder in it that does not exist.
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

/** Empty without /proc. */
function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    return []
  }
}

/** Latin-1, so that no byte is lost; empty if the process ended or belongs to another user. */
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
