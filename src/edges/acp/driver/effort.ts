import type { Keeper } from '../../../keeper-client/client.ts'
import { cpuMsOf } from '../../../lib/cpu-time.ts'
import { waitWhileItWorks, type Effort, type Late } from '../../../lib/patience.ts'

/** Waits for an agent that is starting, for longer than `ms` while it makes progress. */
export const awaitStart = async <T>(keeper: Keeper, childId: string, ms: number, work: Promise<T>): Promise<T | Late> =>
  waitWhileItWorks(work, { ms, effort: await effortOf(keeper, childId) })

/** How much an agent did since it was started: what it printed to stderr, and the CPU time of its processes. */
async function effortOf(keeper: Keeper, childId: string): Promise<() => Promise<Effort>> {
  const children = await keeper.list().catch(() => [])
  const pid = children.find(({ id }) => id === childId)?.pid
  let heard = ''
  let printed = 0
  return async () => {
    const stderr = await keeper.stderr(childId).catch(() => heard)
    // Only its end is kept, so its length can stay the same.
    if (stderr !== heard) printed += 1
    heard = stderr
    return { printed, cpuMs: pid === undefined ? 0 : cpuMsOf(pid) }
  }
}
