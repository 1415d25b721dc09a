import type { Key } from './freshness.ts'

/** Between two readings of the same; longer where reading takes long. */
const leastMs = 200
const mostMs = 3000
/** A reading that hangs holds up no other for longer than this. */
const longestMs = 10_000

/**
 * Reads again what became old, each key once at a time. What becomes old while it is read is read once more after it:
 * to break off and begin anew would never end while things go on happening.
 */
export function createRefresher(read: (key: Key) => Promise<unknown>): (key: Key) => void {
  /** Of the keys being read: whether they became old meanwhile. */
  const reading = new Map<string, boolean>()

  async function readUntilFresh(name: string, key: Key): Promise<void> {
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

/** Settles with it, however it ends, or when it takes too long. */
async function atMost(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, longestMs)
  })
  await Promise.race([work.catch(() => undefined), late])
  clearTimeout(timer)
}
