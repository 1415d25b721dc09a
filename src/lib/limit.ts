/** Runs this many tasks at once; the others wait in order of arrival. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>

export function createLimit(atOnce: number): Limit {
  const line: (() => void)[] = []
  let running = 0
  return async (work) => {
    // A finished task passes its slot on, so that no newcomer takes it first.
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
