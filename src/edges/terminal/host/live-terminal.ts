import type { Detection } from '../../../app/terminals.ts'
import { createWakeSignal, type WakeSignal } from '../../../lib/wake-signal.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { Fault } from '../../../lib/result.ts'
import { createSerialQueue, type SerialQueue } from '../../../lib/serial-queue.ts'

/** A terminal that this server watches now. */
export type LiveTerminal = {
  readonly id: SessionId
  /** Null for a followed log. */
  readonly childId: string | null
  readonly directory: string
  detection: Detection | null
  /** Bytes in its recording, and how often its source was restarted. */
  recorded: number
  epoch: number
  /** How far the program's output, or the log, was read. */
  position: number
  size: { cols: number; rows: number } | null
  /** When the position was last stored. */
  noted: number
  trouble: Fault | null
  /** Its worker thread died before the end. */
  died: boolean
  /** Who ended it, if someone did. */
  hungUpBy: Actor | null
  /** On whose behalf each write was typed, until the worker reports it. */
  readonly typists: Map<string, Typist>
  /** When somebody who is attached last typed. */
  typedAt: number
  /** Answers are typed one after another. */
  readonly answers: SerialQueue
  /** Rung when more was recorded. */
  readonly grew: WakeSignal
  /** Number of live readers, and the recent output kept for them. */
  readers: number
  readonly recent: RecentOutput
  listening: Disposable | null
  typed: Disposable | null
  closed: PromiseWithResolvers<void>
}

/** On whose behalf we typed. */
export type Typist = {
  source: 'user_typed' | 'ai_suggested' | 'auto_injected'
  userId: string | null
  /** Never stored, whatever the screen shows. */ secret: boolean
}

export const newLiveTerminal = (given: Pick<LiveTerminal, 'id' | 'childId' | 'directory'>): LiveTerminal => ({
  ...given,
  detection: null,
  recorded: 0,
  epoch: 0,
  position: 0,
  size: null,
  noted: 0,
  trouble: null,
  died: false,
  hungUpBy: null,
  typists: new Map(),
  typedAt: 0,
  answers: createSerialQueue(),
  grew: createWakeSignal(),
  readers: 0,
  recent: createRecentOutput(),
  listening: null,
  typed: null,
  closed: Promise.withResolvers<void>(),
})

/** Recent output in memory while there are live readers. Slow readers use the files. */
type RecentOutput = {
  add(offset: number, bytes: Uint8Array): void
  /** One contiguous piece from an offset on; null if it is not in memory. */
  at(offset: number): Uint8Array | null
  clear(): void
}

const mostBytes = 2 * 1024 * 1024

export function createRecentOutput(): RecentOutput {
  let pieces: { from: number; bytes: Uint8Array }[] = []
  let size = 0
  return {
    add(from, bytes) {
      pieces.push({ from, bytes })
      size += bytes.length
      while (size > mostBytes && pieces.length > 1) size -= pieces.shift()?.bytes.length ?? 0
    },
    at(offset) {
      const piece = pieces.find(({ from, bytes }) => offset >= from && offset < from + bytes.length)
      return piece ? piece.bytes.subarray(offset - piece.from) : null
    },
    clear() {
      pieces = []
      size = 0
    },
  }
}
