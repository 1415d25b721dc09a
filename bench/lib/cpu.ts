import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds that the threads of a process were on a core so far. */
export function cpuOf(pid: number): number {
  let total = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    try {
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It ended in this moment.
    }
  return total
}
