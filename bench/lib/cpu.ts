import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of a process's threads so far, in nanoseconds. */
export function cpuOf(pid: number): number {
  let total = 0
  for (const thread of readdirSync(`/proc/${pid}/task`))
    try {
      total += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // It ended just now.
    }
  return total
}
