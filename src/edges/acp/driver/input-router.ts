import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Dialect } from '../calls/dialect.ts'
import type { Notes, Recorder } from '../transcript/recorder.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { applyUpdate } from '../transcript/updates.ts'
import { createMessageReader } from '../wire/message-reader.ts'
import type { Wire } from '../wire/wire.ts'

/** Routes the agent's messages to transcript, dialect and wire, no faster than they are handled. */
export type InputRouter = {
  data(bytes: Uint8Array): Promise<void>
  readUpTo(): number
  /** Handles a call again that an earlier server left unanswered. */
  replay(message: object, offset: number): void
  callAt(offset: number): object | undefined
  forget(offset: number): void
  /** Whether an earlier server already applied the line. */
  wasApplied(offset: number): boolean
}

/** With more dialect calls waiting, no more input is read. */
const mostDialectCalls = 200
const fullBacklog = 4_000_000

export function createInputRouter(deps: {
  start: number
  log: Logger
  now(): string
  notes: Notes
  transcript: Transcript
  replay: Replay
  closing: AbortSignal
  usageReported(): void
  toolFinished(toolCallId: string): void
  recorder(): Recorder
  wire(): Wire
  dialect(): Dialect
}): InputRouter {
  const { log, notes, transcript, closing } = deps
  const calls = new Map<number, object>()
  const restored = notes.applied
  const dialectAnswered = createWakeSignal()
  let dialectCalls = 0

  const isBusy = (): boolean => dialectCalls > mostDialectCalls && !closing.aborted

  const reader = createMessageReader({ start: deps.start, log, update, dialect: takeDialect, call })

  function update(fields: Readonly<Record<string, unknown>>, offset: number): void {
    // Read again after a restart: its text is in the messages already.
    if (offset < restored) return
    deps.replay.heard()
    const known = applyUpdate(fields, offset, notes.heardAt ?? deps.now(), {
      transcript,
      recorder: deps.recorder(),
      replaying: notes.replaying,
      usageReported: deps.usageReported,
      toolFinished: deps.toolFinished,
    })
    if (!known) log.info({ update: String(fields['sessionUpdate']), offset }, 'unknown update ignored')
  }

  function takeDialect(message: { method: string }, offset: number): void {
    deps.recorder().begin(offset)
    answerDialect(message, offset)
  }

  function answerDialect(message: { method: string }, offset: number): void {
    dialectCalls += 1
    void deps
      .dialect()
      .take(message, offset)
      .finally(() => {
        dialectCalls -= 1
        dialectAnswered.wake()
      })
  }

  function call(message: object, offset: number): void {
    deps.recorder().begin(offset)
    if ('method' in message && 'id' in message) calls.set(offset, message)
    deps.wire().take(message, offset)
  }

  return {
    async data(bytes) {
      notes.heardAt = deps.now()
      reader.push(bytes)
      transcript.tell()
      const recorder = deps.recorder()
      recorder.schedule()
      if (recorder.backlog() > fullBacklog) await recorder.flush()
      await deps.wire().ready()
      while (isBusy()) await dialectAnswered.after(dialectAnswered.count(), 1000, closing)
    },
    readUpTo: reader.readUpTo,
    replay(message, offset) {
      calls.set(offset, message)
      if (reader.isDialect(message)) answerDialect(message as { method: string }, offset)
      else deps.wire().take(message, offset)
    },
    callAt: (offset) => calls.get(offset),
    forget: (offset) => void calls.delete(offset),
    wasApplied: (offset) => offset < restored,
  }
}

const quietMs = 300
const longestMs = 10_000

/** Some agents answer `session/load` before they replay the conversation. Silence is the only sign of its end. */
type Replay = { heard(): void; over(isGone: () => boolean): Promise<void> }

export function createReplay(clock: Clock): Replay {
  let last = 0
  return {
    heard() {
      last = clock.now()
    },
    async over(isGone) {
      const latest = clock.now() + longestMs
      last = clock.now()
      while (clock.now() < Math.min(last + quietMs, latest) && !isGone())
        await new Promise<void>((resolve) => clock.at(last + quietMs, resolve))
    },
  }
}
