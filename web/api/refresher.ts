import type { Key } from './freshness.ts'

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
    do {
      reading.set(name, false)
      await atMost(read(key))
    } while (reading.get(name))
    reading.delete(name)
  }

  return (key) => {
    const name = key.join('\n')
    if (reading.has(name)) reading.set(name, true)
    else void readUntilFresh(name, key)
  }
}

/** Settles with it, however it ends, or when it takes too long. */
function atMost(work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestMs)
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(done, done)
  })
}
