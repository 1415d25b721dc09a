/** Runs one task after another. A task that fails does not stop the next; only its own caller gets the error. */
export type SerialQueue = {
  run<T>(work: () => T | Promise<T>): Promise<T>
  /** For work that is not a single function: resolves when it may begin, with a function that ends it. */
  take(): Promise<() => void>
  /** Resolves when everything added so far is done. The same promise until more is added. */
  idle(): Promise<void>
}

const nothing = (): void => {}

export function createSerialQueue(): SerialQueue {
  let last: Promise<void> = Promise.resolve()
  return {
    run(work) {
      const done = last.then(work)
      last = done.then(nothing, nothing)
      return done
    },
    async take() {
      const before = last
      const turn = Promise.withResolvers<void>()
      last = turn.promise
      await before
      return turn.resolve
    },
    idle: () => last,
  }
}

/** A serial queue per key. Work under different keys runs in parallel. */
export type KeyedQueue<Key = string> = {
  run<T>(key: Key, work: () => T | Promise<T>): Promise<T>
  idle(key: Key): Promise<void>
  /** Resolves when everything added so far, under any key, is done. */
  allIdle(): Promise<void>
}

export function createKeyedQueue<Key = string>(): KeyedQueue<Key> {
  const queues = new Map<Key, SerialQueue>()
  return {
    run(key, work) {
      const queue = queues.get(key) ?? createSerialQueue()
      queues.set(key, queue)
      const done = queue.run(work)
      const last = queue.idle()
      void last.then(() => {
        if (queue.idle() === last) queues.delete(key)
      })
      return done
    },
    idle: (key) => queues.get(key)?.idle() ?? Promise.resolve(),
    allIdle: async () => void (await Promise.all([...queues.values()].map((queue) => queue.idle()))),
  }
}
