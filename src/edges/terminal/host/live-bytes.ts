import { createBell } from '../../../lib/bell.ts'
import { liveOf } from '../recording/live.ts'
import type { Held } from './held.ts'

type Deps = {
  directory: string
  /** Null where nobody looks after it any more. */
  held: Held | null
  isOver(): boolean
  /** Somebody begins, or ceases, to read along. */
  readers(held: Held): void
  signal: AbortSignal
}

const lookMs = 1000
const encoder = new TextEncoder()

/** What a terminal prints from an offset on: from memory for who keeps up, from the recording for who does not. */
export async function* liveBytes(from: number, deps: Deps): AsyncGenerator<Uint8Array, void, void> {
  const { held, signal } = deps
  if (held) {
    held.readers += 1
    deps.readers(held)
  }
  try {
    yield* held ? followed(from, held, deps) : encoded(from, deps)
  } finally {
    if (held) {
      held.readers -= 1
      deps.readers(held)
    }
  }

  async function* followed(start: number, live: Held, { isOver }: Deps): AsyncGenerator<Uint8Array, void, void> {
    let offset = start
    while (!signal.aborted) {
      const known = live.grew.rings()
      const isLast = isOver()
      const piece = live.tail.at(offset)
      if (piece) {
        yield piece
        offset += piece.length
      } else if (offset < live.recorded || isLast) {
        for await (const { at, bytes } of read(offset, deps)) {
          yield bytes
          offset = at + bytes.length
          if (live.tail.at(offset)) break
        }
        if (isLast && !live.tail.at(offset)) return
      } else await live.grew.after(known, lookMs, signal)
    }
  }
}

async function* encoded(from: number, deps: Deps): AsyncGenerator<Uint8Array, void, void> {
  for await (const { bytes } of read(from, deps)) yield bytes
}

async function* read(from: number, { directory, held, isOver, signal }: Deps) {
  const wake = held?.grew ?? createBell()
  for await (const { offset, text } of liveOf(directory, from, { wake, ended: isOver, signal }))
    if (text !== '') yield { at: offset, bytes: encoder.encode(text) }
}
