import { createRing } from './ring.ts'

/** What a child printed and is still kept, by absolute byte offset. */
export type Output = {
  readonly from: number
  readonly to: number
  /** False: the child is not to be read on until there is room again. */
  append(bytes: Buffer): boolean
  /** A piece from `offset` on, or from the first byte kept; null where there is none yet. */
  read(offset: number, most: number): Promise<{ bytes: Buffer; offset: number } | null>
  /** Everything before `offset` may go; what stands before `lent` may still be on its way to somebody. */
  drop(offset: number, lent?: number): void
  close(): Promise<void>
}

export type OutputEvents = {
  /** There is more to read. */
  changed(): void
  /** After an append that gave false. */
  room(): void
}

/** The last so many bytes: nothing waits, the oldest go. */
export function createRingOutput(limit: number, events: OutputEvents): Output {
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
