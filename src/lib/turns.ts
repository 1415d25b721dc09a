/** Runs a few at once and queues the rest fairly: each caller gets a turn before any gets a second. */
export type FairTurns = {
  /**
   * Resolves when it is the caller's turn, with the function that ends it. Rejects if the caller, or all, have too many
   * waiting.
   */
  take(who: string): Promise<() => void>
  /** No more turns are given. Waiters are not told: they end with the process. */
  close(): void
}

type WaitingCaller = { begin(): void; forget(): void }

export function createTurns(options: {
  atOnce: number
  /** The limits per caller and in total. */
  mostEach: number
  mostWaiting: number
  patienceMs: number
  refusal(): Error
}): FairTurns {
  const { atOnce, mostEach, mostWaiting, patienceMs, refusal } = options
  /** In the order of their next turns. */
  const lines = new Map<string, WaitingCaller[]>()
  let running = 0
  let waiting = 0

  function turn(): () => void {
    running += 1
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      running -= 1
      next()
    }
  }

  function leave(who: string, one: WaitingCaller): void {
    const line = lines.get(who)?.filter((other) => other !== one) ?? []
    lines.delete(who)
    // Moves to the end, because this caller just had a turn.
    if (line.length > 0) lines.set(who, line)
    waiting -= 1
  }

  function next(): void {
    const [first] = lines
    const one = first?.[1][0]
    if (first === undefined || one === undefined || running >= atOnce) return
    leave(first[0], one)
    one.begin()
  }

  return {
    take(who) {
      if (running < atOnce) return Promise.resolve(turn())
      const line = lines.get(who) ?? []
      if (line.length >= mostEach || waiting >= mostWaiting) return Promise.reject(refusal())
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const late = setTimeout(() => {
        leave(who, one)
        reject(refusal())
      }, patienceMs)
      const one: WaitingCaller = {
        begin() {
          clearTimeout(late)
          resolve(turn())
        },
        forget: () => clearTimeout(late),
      }
      lines.set(who, [...line, one])
      waiting += 1
      return promise
    },
    close() {
      for (const one of [...lines.values()].flat()) one.forget()
      lines.clear()
      waiting = 0
    },
  }
}
