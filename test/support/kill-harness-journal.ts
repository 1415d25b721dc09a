import type { Reply } from './kill-harness-http.ts'

export type OperationKind = 'session' | 'message' | 'ask' | 'answer' | 'complete'

/** One write of a writer. Its mark is in what it writes, so that the row is found even if no answer came. */
export type Operation = {
  readonly kind: OperationKind
  readonly mark: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly key: string | null
  /** The session or ask it is about. */
  readonly target: string | null
}

export type Acknowledged = { readonly operation: Operation; readonly body: Readonly<Record<string, unknown>> }

/** What the server promised, recorded outside it. */
export type Journal = {
  readonly acknowledged: Acknowledged[]
  /** Sent without a key, and no answer came: it may exist once or not at all. */
  readonly unknown: Operation[]
  readonly refused: { operation: Operation; reply: Reply }[]
  /** Anything that must never happen, as text. */
  readonly faults: string[]
  repeats: number
}

export const newJournal = (): Journal => ({ acknowledged: [], unknown: [], refused: [], faults: [], repeats: 0 })

/** A small seeded generator, so that a run can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
