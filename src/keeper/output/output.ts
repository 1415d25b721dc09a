import { createRing } from './ring.ts'

/** The output of a child that is still kept, by absolute byte offset. */
export type KeptOutput = {
  readonly from: number
  readonly to: number
  /** False: do not read the child until there is room again. */
  append(bytes: Buffer): boolean
  /** A piece from `offset` on, or from the first byte kept; null if there is none yet. */
  read(offset: number, most: number): Promise<{ bytes: Buffer; offset: number } | null>
  /** Drops everything before `offset`. Bytes before `lent` may still be in use by a reader. */
  drop(offset: number, lent?: number): void
  close(): Promise<void>
}

export type OutputEvents = {
  /** There is more to read. */
  changed(): void
  /** After an append that gave false. */
  room(): void
}

/** Keeps the last bytes: nothing waits, the oldest are dropped. */
export function createRingOutput(limit: number, events: OutputEvents): KeptOutput {
  const ring = createRing(limit)
  return {
    get from() {
      return ring.from
    },
    get to() {
      return ring.to
    },
    append(bytes) {
      ring.append(bytes)
      events.changed()
      return true
    },
    read(offset, most) {
      const first = Math.max(offset, ring.from)
      const bytes = ring.read(first, most)
      return Promise.resolve(bytes.length > 0 ? { bytes, offset: first } : null)
    },
    drop() {},
    close: () => Promise.resolve(),
  }
}
