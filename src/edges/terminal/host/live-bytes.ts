import { createWakeSignal } from '../../../lib/wake-signal.ts'
import { liveOf } from '../recording/live.ts'
import type { LiveTerminal } from './live-terminal.ts'

type Deps = {
  directory: string
  /** Null where nobody looks after it any more. */
  live: LiveTerminal | null
  isOver(): boolean
  /** Somebody begins, or ceases, to read along. */
  readers(live: LiveTerminal): void
  signal: AbortSignal
}

const lookMs = 1000
const encoder = new TextEncoder()

/** What a terminal prints from an offset on: from memory for who keeps up, from the recording for who does not. */
export async function* liveBytes(from: number, deps: Deps): AsyncGenerator<Uint8Array, void, void> {
  const { live, signal } = deps
  if (live) {
    live.readers += 1
    deps.readers(live)
  }
  try {
    yield* live ? followed(from, live, deps) : encoded(from, deps)
  } finally {
    if (live) {
      live.readers -= 1
      deps.readers(live)
    }
  }

  async function* followed(
    start: number,
    terminal: LiveTerminal,
    { isOver }: Deps,
  ): AsyncGenerator<Uint8Array, void, void> {
    let offset = start
    while (!signal.aborted) {
      const known = terminal.grew.count()
      const isLast = isOver()
      const piece = terminal.recent.at(offset)
      if (piece) {
        yield piece
        offset += piece.length
      } else if (offset < terminal.recorded || isLast) {
        for await (const { at, bytes } of read(offset, deps)) {
          yield bytes
          offset = at + bytes.length
          if (terminal.recent.at(offset)) break
        }
        if (isLast && !terminal.recent.at(offset)) return
      } else await terminal.grew.after(known, lookMs, signal)
    }
  }
}

async function* encoded(from: number, deps: Deps): AsyncGenerator<Uint8Array, void, void> {
  for await (const { bytes } of read(from, deps)) yield bytes
}

async function* read(from: number, { directory, live, isOver, signal }: Deps) {
  const wake = live?.grew ?? createWakeSignal()
  for await (const { offset, text } of liveOf(directory, from, { wake, ended: isOver, signal }))
    if (text !== '') yield { at: offset, bytes: encoder.encode(text) }
}
