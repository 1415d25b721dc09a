import { readdir } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'

/** Set in the environment of each child of the keeper, and inherited by every process it starts. */
export const childVariable = 'SIGNALBOX_CHILD'

/** A process of this machine, as /proc shows it. */
export type Process = {
  pid: number
  parent: number
  group: number
  session: number
  /** In ticks since boot. Together with the pid it identifies a process. */
  started: string
  /** The value of SIGNALBOX_CHILD; null if it is not set or not readable. */
  mark: string | null
}

/** Every running process, without zombies. Empty if there is no /proc. */
export async function listProcesses(): Promise<Process[]> {
  const names = await readdir('/proc').catch(() => [])
  const found: Process[] = []
  for (const [index, name] of names.filter((name) => /^\d+$/.test(name)).entries()) {
    const process = look(Number(name))
    if (process) found.push(process)
    // Reading thousands of them must not block other work.
    if (index % 50 === 49) await breathe()
  }
  return found
}

function look(pid: number): Process | null {
  const stat = read(`/proc/${pid}/stat`)?.toString('latin1')
  if (!stat) return null
  // The program's name is in brackets and may itself contain brackets and spaces.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === 'Z' || state === 'X') return null
  const started = rest[15] ?? ''
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), started, mark: markOf(pid) }
}

const before = Buffer.from(`\0${childVariable}=`)

function markOf(pid: number): string | null {
  const environment = read(`/proc/${pid}/environ`)
  if (!environment) return null
  const whole = Buffer.concat([Buffer.from('\0'), environment, Buffer.from('\0')])
  const at = whole.indexOf(before)
  if (at < 0) return null
  const start = at + before.length
  return whole.subarray(start, whole.indexOf(0, start)).toString()
}

function read(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

/** False if there is no such process. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}
