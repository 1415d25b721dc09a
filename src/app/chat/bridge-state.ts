import type { Database, Tx } from '../../db/open.ts'
import * as store from '../../domain/chat-sdk/store.ts'
import { iso } from '../../lib/clock.ts'
import { newRandomId } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import { anyJson, jsonColumn } from '../../lib/parse-json.ts'

export type BridgeLock = { readonly threadId: string; readonly token: string; readonly expiresAt: number }

/** What an adapter of the Chat SDK remembers: the methods of its state, on our tables. */
export type BridgeState = ReturnType<typeof bridgeState>

const valueColumn = jsonColumn('chat_sdk_kv.value', anyJson)
const listColumn = jsonColumn('chat_sdk_lists.value', anyJson)

/**
 * Keys of the library name the platform, not the account, so each instance has a prefix. It is empty for the instance
 * that is named like its platform, which so finds what was imported.
 */
export const statePrefix = (instance: { name: string; platform: string }): string =>
  instance.name === instance.platform ? '' : `${instance.name}/`

export function bridgeState({ write, flavor }: Pick<Database, 'write' | 'flavor'>, prefix: string, now: () => number) {
  const key = (name: string): string => `${prefix}${name}`
  const queue = (threadId: string): string => key(`queue:${threadId}`)
  const until = (ttlMs: number | undefined): number | null => (ttlMs ? now() + ttlMs : null)
  /** One at a time for each list, on every node. */
  const holding = <T>(name: string, work: (tx: Tx) => Promise<T>) =>
    write.transaction().execute(async (tx) => {
      await flavor.lock(tx, [`chat_sdk_lists ${name}`])
      return work(tx)
    })
  return {
    // The connection to the database is the server's.
    connect: async (): Promise<void> => {},
    disconnect: async (): Promise<void> => {},
    get: async (name: string): Promise<Json> => valueColumn(await store.readValue(write, key(name), now())),
    set: (name: string, value: Json, ttlMs?: number) =>
      store.writeValue(write, key(name), JSON.stringify(value), until(ttlMs)),
    setIfNotExists: (name: string, value: Json, ttlMs?: number) =>
      store.claimValue(write, key(name), JSON.stringify(value), { expires: until(ttlMs), now: now() }),
    delete: (name: string) => store.deleteValue(write, key(name)),
    subscribe: (threadId: string) => store.addSubscription(write, key(threadId), iso(now())),
    unsubscribe: (threadId: string) => store.removeSubscription(write, key(threadId)),
    isSubscribed: (threadId: string) => store.hasSubscription(write, key(threadId)),
    async acquireLock(threadId: string, ttlMs: number): Promise<BridgeLock | null> {
      const lock = { threadId, token: newRandomId<string>(), expiresAt: now() + ttlMs }
      const row = { threadId: key(threadId), token: lock.token }
      return (await store.takeLock(write, row, { until: lock.expiresAt, now: now() })) ? lock : null
    },
    extendLock: ({ threadId, token }: BridgeLock, ttlMs: number) =>
      store.prolongLock(write, { threadId: key(threadId), token }, { until: now() + ttlMs, now: now() }),
    releaseLock: ({ threadId, token }: BridgeLock) => store.dropLock(write, key(threadId), token),
    forceReleaseLock: (threadId: string) => store.dropLock(write, key(threadId)),
    async appendToList(name: string, value: Json, options: { maxLength?: number; ttlMs?: number } = {}): Promise<void> {
      const { maxLength: most = null, ttlMs } = options
      const list = key(name)
      const limits = { most, expires: until(ttlMs), now: now() }
      await holding(list, (tx) => store.appendToList(tx, list, JSON.stringify(value), limits))
    },
    getList: async (name: string): Promise<Json[]> =>
      (await store.readList(write, key(name), now())).map((value) => listColumn(value)),
    enqueue: (threadId: string, entry: Json, maxSize: number): Promise<number> =>
      holding(queue(threadId), (tx) =>
        store.appendToList(tx, queue(threadId), JSON.stringify(entry), { most: maxSize, expires: null, now: now() }),
      ),
    dequeue: async (threadId: string): Promise<Json> =>
      listColumn(await holding(queue(threadId), (tx) => store.takeFromList(tx, queue(threadId)))),
    queueDepth: (threadId: string) => store.countList(write, queue(threadId)),
  }
}
