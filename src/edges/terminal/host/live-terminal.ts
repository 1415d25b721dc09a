import type { Detection } from '../../../app/terminals.ts'
import { createWakeSignal, type WakeSignal } from '../../../lib/wake-signal.ts'
import { createRecentOutput, type RecentOutput } from './recent-output.ts'
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
  answers: createSerialQueue(),
  grew: createWakeSignal(),
  readers: 0,
  recent: createRecentOutput(),
  listening: null,
  typed: null,
  closed: Promise.withResolvers<void>(),
})
