import type { App } from '../../../app/app.ts'
import type { InputEventId } from '../../../domain/pattern/id.ts'
import { redacted } from '../../../domain/pattern/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { KeyboardAnswer, AnswerOutcome } from '../worker/watch/types.ts'
import type { LiveTerminal } from './live-terminal.ts'

const system = { kind: 'system', name: 'terminal' } as const

/** Stores what was answered in a terminal, and with what outcome (T6). */
export type InputTracker = {
  entered(live: LiveTerminal, entered: KeyboardAnswer, program: string): Promise<void>
  outcome(outcome: AnswerOutcome): Promise<void>
}

const mostOpen = 1000
const longest = 8192
const mostTypists = 64

export function createInputTracker(deps: { app: App; log: Logger }): InputTracker {
  const { app, log } = deps
  /** Answers without an outcome yet. The outcome may be known before the answer is stored. */
  const open = new Map<string, Promise<InputEventId | null>>()

  async function track(live: LiveTerminal, entered: KeyboardAnswer, program: string): Promise<InputEventId | null> {
    const { prompt, by, responseTimeMs, at } = entered
    const typist = live.typists.get(by)
    const secret = entered.secret || typist?.secret === true
    const text = secret ? null : entered.text
    live.typists.delete(by)
    // Steps of answers that were never reported.
    for (const old of live.typists.keys()) if (live.typists.size > mostTypists) live.typists.delete(old)
    const [found] = await app.read.terminals(await app.read.standing(system), live.id)
    if (!found) return null
    const { terminal } = found
    const source = typist?.source ?? 'user_typed'
    const id = newRandomId<InputEventId>()
    const done = await app.dispatch(
      {
        type: 'input.track',
        id,
        sessionId: live.id,
        promptText: prompt.text.slice(0, longest),
        promptType: prompt.type,
        secret,
        dangerous: prompt.dangerous,
        inputText: text === null ? redacted : text.slice(0, longest),
        source,
        responseTimeMs: Math.max(0, Math.round(responseTimeMs)),
        success: null,
        at,
        userId: (typist?.userId as UserId | undefined) ?? (source === 'user_typed' ? terminal.ownerUserId : null),
        program: program === '' ? (terminal.command?.[0]?.split('/').at(-1) ?? '') : program,
        host: terminal.host ?? '',
      },
      system,
    )
    if (done.ok) return id
    log.warn({ session: live.id, code: done.fault.code }, 'an answer could not be recorded')
    return null
  }

  return {
    async entered(live, entered, program) {
      const tracked = track(live, entered, program)
      open.set(
        entered.prompt.id,
        tracked.catch(() => null),
      )
      if (open.size > mostOpen) open.delete(open.keys().next().value ?? '')
      await tracked
    },
    async outcome({ promptId, success }) {
      const id = await open.get(promptId)
      open.delete(promptId)
      if (id === undefined || id === null || success === null) return
      const done = await app.dispatch({ type: 'input.judge', id, success }, system)
      if (!done.ok) log.warn({ code: done.fault.code }, 'the outcome of an answer could not be recorded')
    },
  }
}
