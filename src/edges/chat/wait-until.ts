import type { Clock } from '../../lib/clock.ts'

/** Resolves at this time, or as soon as it is stopped. */
export async function waitUntil(clock: Clock, time: number, stop: AbortSignal): Promise<void> {
  if (clock.now() >= time || stop.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  using _timer = clock.at(time, resolve)
  stop.addEventListener('abort', () => resolve(), { once: true })
  await promise
}
