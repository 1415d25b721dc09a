/** What a program did so far; more of either is progress. */
export type Effort = { printed: number; cpuMs: number }

/** How often its limit a program that makes progress gets. */
export const mostExtended = 4
const looks = 4
const longestLookMs = 1000
/** Less than this part of the time is what an idle runtime uses. */
const busyPart = 0.05

export type Late = { late: true; waitedMs: number; working: boolean }

/**
 * Waits for a program that is starting. It is late after `ms` without progress, and after four times that anyway: on a busy
 * machine a program that works needs longer, and one that hangs does not get better.
 */
export async function waitWhileItWorks<T>(
  work: Promise<T>,
  { ms, effort }: { ms: number; effort(): Promise<Effort> | Effort },
): Promise<T | Late> {
  const began = performance.now()
  const every = Math.min(ms / looks, longestLookMs)
  const settled = work.then(() => undefined).catch(() => undefined)
  let last = await effort()
  let lookedAt = began
  let progressAt = began
  for (;;) {
    const isDone = await within(settled, every)
    if (isDone) return work
    const now = performance.now()
    const seen = await effort()
    const isBusy = seen.cpuMs - last.cpuMs >= (now - lookedAt) * busyPart
    if (isBusy || seen.printed > last.printed) progressAt = now
    last = seen
    lookedAt = now
    const waitedMs = now - began
    if (waitedMs >= ms * mostExtended) return { late: true, waitedMs, working: progressAt === now }
    if (now - progressAt >= ms) return { late: true, waitedMs, working: false }
  }
}

export const isLate = (value: unknown): value is Late =>
  typeof value === 'object' && value !== null && 'late' in value && value.late === true

/** What a person is told of a program that is late. `ms` is its limit. */
export const lateText = ({ waitedMs, working }: Late, ms: number): string =>
  working
    ? `within ${seconds(waitedMs)}, although it was working`
    : `within ${seconds(waitedMs)}; for ${seconds(ms)} it printed nothing and used no CPU`

const seconds = (ms: number): string => `${Math.round(ms / 1000)} seconds`

function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer))
}
