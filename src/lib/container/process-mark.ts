import { readFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'

/** Since boot, in ticks. Numbers of processes are given again; together with this one they are not. */
const startedIn = (stat: string): string => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''

/** Names this process, so that others see whether it still runs. */
export function ownMark(): string {
  try {
    return `${process.pid}.${startedIn(readFileSync('/proc/self/stat', 'latin1'))}`
  } catch {
    return String(process.pid)
  }
}

/** Whether the process that was marked so still runs. */
export async function isRunning(mark: string): Promise<boolean> {
  const [pid, started = ''] = mark.split('.')
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => null)
  return stat !== null && startedIn(stat) === started
}
