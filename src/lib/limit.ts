/** Runs so many pieces of work at once; the others wait in the order in which they came. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

export function createLimit(atOnce: number): Limit {
  const line: (() => void)[] = []
  let running = 0
  return async (work) => {
    // Whoever ends hands its place on, so that nobody comes between.
    if (running >= atOnce) await new Promise<void>((resolve) => line.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = line.shift()
      if (next) next()
      else running -= 1
    }
  }
}
