import type { CacheKey } from './freshness.ts'

/** Minimum time between two reads of the same query; longer if reads are slow. */
const leastMs = 200
const mostMs = 3000
/** A read that hangs delays others by at most this. */
const longestMs = 10_000

/**
 * Reads stale queries again, each key one read at a time. A query that becomes stale during its read is read again
 * afterwards: restarting the read would never finish while events keep coming.
 */
export function createRefresher(read: (key: CacheKey) => Promise<unknown>): (key: CacheKey) => void {
  /** Keys being read, and whether they became stale during the read. */
  const reading = new Map<string, boolean>()

  async function readUntilFresh(name: string, key: CacheKey): Promise<void> {
    for (;;) {
      reading.set(name, false)
      const began = performance.now()
      await atMost(read(key))
      if (!reading.get(name)) break
      await pause(Math.min(mostMs, Math.max(leastMs, performance.now() - began)))
    }
    reading.delete(name)
  }

  return (key) => {
    const name = key.join('\n')
    if (reading.has(name)) reading.set(name, true)
    else void readUntilFresh(name, key)
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Settles when the read ends, fails, or takes too long. */
async function atMost(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, longestMs)
  })
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
