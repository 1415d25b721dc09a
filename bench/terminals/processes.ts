import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerHarness } from '../acp/harness.ts'

/** The server and its keeper: everything a terminal costs us. */
export function ourProcesses(harness: ServerHarness): number[] {
  const log = readFileSync(join(harness.home, 'run', 'keeper.log'), 'utf8')
  const keeper = [...log.matchAll(/"keeper":(\d+)/g)].at(-1)?.[1]
  return [harness.pid, ...(keeper === undefined ? [] : [Number(keeper)])]
}

/** Milliseconds of CPU time so far. */
export const cpuMs = (pids: readonly number[]): number =>
  pids
    .flatMap((pid) => readdirSync(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}/schedstat`))
    .reduce((sum, file) => sum + Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6, 0)

export const residentOf = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
  }, 0)
