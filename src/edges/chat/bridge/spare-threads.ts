import type { HostThread } from './thread.ts'

/** Platforms call several times in a row. */
const idleMs = 60_000

type Spare = { readonly key: string; readonly thread: Promise<HostThread>; uses: number; timer: NodeJS.Timeout | null }

/**
 * Threads of adapters for nodes that are not connected: one for each instance, however many requests come, until none came
 * for a while. `key` changes with the credentials.
 */
export function createSpareThreads(start: (thread: () => HostThread) => Promise<HostThread>, ms = idleMs) {
  const spares = new Map<string, Spare>()

  function drop(id: string, spare: Spare): void {
    if (spares.get(id) === spare) spares.delete(id)
    if (spare.timer) clearTimeout(spare.timer)
    if (spare.uses === 0) void spare.thread.then((thread) => thread[Symbol.asyncDispose]()).catch(() => {})
  }

  function spareOf(id: string, key: string, make: () => HostThread): Spare {
    const known = spares.get(id)
    if (known?.key === key) return known
    if (known) drop(id, known)
    const spare: Spare = { key, thread: start(make), uses: 0, timer: null }
    spares.set(id, spare)
    void spare.thread.then(
      (thread) => thread.ended.then(() => drop(id, spare)),
      () => drop(id, spare),
    )
    return spare
  }

  return async function use<T>(
    id: string,
    key: string,
    make: () => HostThread,
    work: (thread: HostThread) => Promise<T>,
  ): Promise<T> {
    const spare = spareOf(id, key, make)
    spare.uses += 1
    if (spare.timer) clearTimeout(spare.timer)
    try {
      return await work(await spare.thread)
    } finally {
      spare.uses -= 1
      const isCurrent = spares.get(id) === spare
      if (spare.uses === 0 && !isCurrent) drop(id, spare)
      // It must not keep a server that ends.
      if (spare.uses === 0 && isCurrent) spare.timer = setTimeout(() => drop(id, spare), ms).unref()
    }
  }
}
