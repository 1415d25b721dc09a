import type { App } from '../../../app/app.ts'
import type { InputEventId } from '../../../domain/pattern/id.ts'
import { redacted } from '../../../domain/pattern/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { Entered, Outcome } from '../worker/watch/types.ts'
import type { Held } from './held.ts'

const system = { kind: 'system', name: 'terminal' } as const

/** Writes down what was answered in a terminal, and what came of it (T6). */
export type Tracking = {
  entered(held: Held, entered: Entered, program: string): Promise<void>
  outcome(outcome: Outcome): Promise<void>
}

export function createTracking(deps: { app: App; log: Logger }): Tracking {
  const { app, log } = deps
  /** Answers of which it is not known yet what came. */
  const open = new Map<string, InputEventId>()

  return {
    async entered(held, { prompt, text, secret, by, responseTimeMs, at }, program) {
      const [found] = await app.read.terminals(await app.read.standing(system), held.id)
      if (!found) return
      const { terminal } = found
      const typist = held.typists.get(by) ?? { source: 'user_typed' as const, userId: terminal.ownerUserId }
      const id = newRandomId<InputEventId>()
      const done = await app.dispatch(
        {
          type: 'input.track',
          id,
          sessionId: held.id,
          promptText: prompt.text.slice(0, 8192),
          promptType: prompt.type,
          secret,
          dangerous: prompt.dangerous,
          inputText: text === null ? redacted : text.slice(0, 8192),
          source: typist.source,
          responseTimeMs: Math.max(0, Math.round(responseTimeMs)),
          success: null,
          at,
          userId: (typist.userId as UserId | null) ?? (typist.source === 'user_typed' ? terminal.ownerUserId : null),
          program: program === '' ? (terminal.command?.[0]?.split('/').at(-1) ?? '') : program,
          host: terminal.host ?? '',
        },
        system,
      )
      if (!done.ok) log.warn({ session: held.id, code: done.fault.code }, 'an answer could not be written down')
      else open.set(prompt.id, id)
      if (open.size > 1000) open.delete(open.keys().next().value ?? '')
    },
    async outcome({ promptId, success }) {
      const id = open.get(promptId)
      open.delete(promptId)
      if (id === undefined || success === null) return
      const done = await app.dispatch({ type: 'input.judge', id, success }, system)
      if (!done.ok) log.warn({ code: done.fault.code }, 'what came of an answer could not be written down')
    },
  }
}
