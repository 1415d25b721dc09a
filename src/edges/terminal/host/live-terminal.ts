import type { Detection } from '../../../app/terminals.ts'
import { createWakeSignal, type WakeSignal } from '../../../lib/wake-signal.ts'
import { createRecentOutput, type RecentOutput } from './recent-output.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { Fault } from '../../../lib/result.ts'
import { createSerialQueue, type SerialQueue } from '../../../lib/serial-queue.ts'

/** A terminal that is looked after here and now. */
export type LiveTerminal = {
  readonly id: SessionId
  /** Null for a followed log. */
  readonly childId: string | null
  readonly directory: string
  detection: Detection | null
  /** Bytes in its recording, and how often its source began anew. */
  recorded: number
  epoch: number
  /** How far the program's output, or the log, was read. */
  position: number
  size: { cols: number; rows: number } | null
  /** What was written down of that last. */
  noted: number
  trouble: Fault | null
  /** The thread that looked after it ended in the middle. */
  died: boolean
  /** Who had it end, where somebody did. */
  hungUpBy: Actor | null
  /** Whoever typed last, for what the worker then makes of it. */
  readonly typists: Map<string, Typist>
  /** Answers are typed one after the other. */
  readonly answers: SerialQueue
  /** Rung when more was recorded. */
  readonly grew: WakeSignal
  /** How many read along, and what was recorded last for them. */
  readers: number
  readonly recent: RecentOutput
  listening: Disposable | null
  typed: Disposable | null
  closed: PromiseWithResolvers<void>
}

/** On whose behalf bytes were typed by us. */
export type Typist = {
  source: 'user_typed' | 'ai_suggested' | 'auto_injected'
  userId: string | null
  /** Whatever the screen shows of it, it is not kept. */ secret: boolean
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
