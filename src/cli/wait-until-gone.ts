import { setTimeout as delay } from 'node:timers/promises'
import { exit, Failure } from './failure.ts'
import { isAlive } from './server-process.ts'

type StopWait = {
  pid: number
  /** A process of this machine. */
  isNear: boolean
  /** The process that answers now; null if none does. */
  answering(): Promise<number | null>
  note(text: string): void
  patience?: Partial<typeof usual>
}

/** A clean stop takes at most ten seconds, and ending the agents a few more. */
const usual = { stopMs: 20_000, killMs: 5000, tellAfterMs: 2000 }
const everyMs = 100

/** Waits for a stopping server, and kills one that does not end; nothing acknowledged is lost. Returns the process that answers in its place. */
export async function waitUntilGone({ pid, isNear, answering, note, patience }: StopWait): Promise<number | null> {
  const { stopMs, killMs, tellAfterMs } = { ...usual, ...patience }
  const began = performance.now()
  let isTold = false
  let isKilled = false
  for (;;) {
    const found = await answering()
    if (found !== pid && !(isNear && isAlive(pid))) return found
    const waited = performance.now() - began
    if (waited >= tellAfterMs && !isTold) {
      isTold = true
      note('Ending its agents…')
    }
    if (waited >= stopMs && isNear && !isKilled) {
      isKilled = true
      note(`The server (process ${pid}) did not stop within ${stopMs / 1000} seconds. Killing it.`)
      kill(pid)
    }
    if (waited >= stopMs + (isNear ? killMs : 0)) throw stillRunning(pid, waited)
    await delay(everyMs)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // Gone meanwhile, or owned by another user; reported below.
  }
}

const stillRunning = (pid: number, ms: number) =>
  new Failure({
    exit: exit.failed,
    code: 'still_running',
    message: `The server (process ${pid}) did not stop within ${Math.round(ms / 1000)} seconds.`,
    hint: `Check its log, or end it with: kill -9 ${pid}`,
  })
