import { setTimeout as pause } from 'node:timers/promises'

type Patience = { seconds?: number; what?: string }

/** Checks repeatedly until there is a value; fails with the last one seen. Patient: five files share two cores, which may be busy. */
export async function until<T>(look: () => T | Promise<T>, patience: Patience = {}): Promise<NonNullable<T>> {
  const { seconds = 30, what = 'what was waited for' } = patience
  const began = Date.now()
  const end = began + seconds * 1000
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (Date.now() > end) throw new Error(`${what} did not come within ${seconds} seconds; last seen: ${String(seen)}`)
    // The longer it takes, the less often: checking costs the server CPU time, too.
    await pause(Math.min(Math.max((Date.now() - began) / 10, 10), 100))
  }
}

/** The promise, or an error that says what was waited for. */
export async function within<T>(promise: Promise<T>, what: string, seconds = 30): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come within ${seconds} seconds`)), seconds * 1000)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
