import type { Tx } from './open.ts'

/**
 * Throws `LeaseLost` unless the lease is still held. Call it first in a transaction that writes; nobody else gets the
 * lease before that transaction ends.
 */
export type Guard = (tx: Tx) => Promise<void>

/** The right to do something on behalf of all nodes, until it is lost or released. */
export type Lease = AsyncDisposable & {
  /** Aborted once another node may hold it. */
  readonly lost: AbortSignal
  readonly guard: Guard
}

export type Leases = {
  /** Null if another node holds it. */
  acquire(name: string): Promise<Lease | null>
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor(lease: string) {
    super(`the lease ${lease} was lost`)
  }
}

/** For writes that no lease protects. */
export const unguarded: Guard = async () => {}

/** On SQLite, one server holds the data directory (`home-lock.ts`), so every lease is granted. */
export const soleLeases: Leases = {
  acquire: async () => ({
    lost: new AbortController().signal,
    guard: unguarded,
    [Symbol.asyncDispose]: async () => {},
  }),
}
