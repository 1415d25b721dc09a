import * as z from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Failure } from '../adapter.ts'
import { never } from '../http-call.ts'
import { codes } from './errors.ts'
import type { Reply } from './receive.ts'
import type { Rest } from './rest.ts'

/** Types of the first response to an interaction. */
export const responseTypes = { pong: 1, message: 4, working: 5, later: 6, choices: 8, form: 9 } as const
/** Only the person who asked sees the message. */
export const ephemeral = 64

/**
 * Discord shows an error if there is no response within 3 seconds. A form can only be the first response, so the
 * acknowledgement waits a moment for one.
 */
const graceMs = 1200

/** Acknowledges without showing anything in the chat. A command has to show something, so it says that we are working. */
export const acknowledgement = (fills: boolean) =>
  fills ? { type: responseTypes.working, data: { flags: ephemeral } } : { type: responseTypes.later }

type Pending = { readonly reply: Reply; readonly timer: Disposable }

/** Interactions that came by the gateway, are saved, and still wait for their first response. */
export function createInteractions({ rest, clock, log }: { rest: Rest; clock: Clock; log: Logger }) {
  const pending = new Map<string, Pending>()
  const responding = new Set<Promise<unknown>>()

  async function callback({ id, token }: Reply, body: object): Promise<{ kind: 'responded' } | Failure> {
    const path = `interactions/${id}/${encodeURIComponent(token)}/callback`
    const request = { what: 'answering an interaction', method: 'POST', path, body, anonymous: true } as const
    const answer = await rest.call(request, z.unknown(), never)
    if (answer.kind === 'answered' || answer.code === codes.alreadyAcknowledged) return { kind: 'responded' }
    return answer
  }

  async function acknowledge(reply: Reply): Promise<void> {
    pending.get(reply.id)?.timer[Symbol.dispose]()
    if (!pending.delete(reply.id)) return
    const answered = await callback(reply, acknowledgement(reply.fills))
    // Too late, or again after a restart. The event is saved, so what was asked for still happens.
    if (answered.kind !== 'responded') log.info({ error: answered.error }, 'an interaction was not acknowledged')
  }

  function track<T>(work: Promise<T>): Promise<T> {
    const done = work.finally(() => responding.delete(done))
    responding.add(done)
    return done
  }

  return {
    /** Call it after the commit. `receivedAt`: in milliseconds. */
    acknowledgeSoon(reply: Reply, receivedAt: number): void {
      const timer = clock.at(receivedAt + graceMs, () => void track(acknowledge(reply)))
      pending.set(reply.id, { reply, timer })
    },
    /** The first response. Null if there was one already, or if it did not come by this connection. */
    async respondFirst(reply: Reply, body: object): Promise<{ kind: 'responded' } | Failure | null> {
      const found = pending.get(reply.id)
      if (!found || found.reply.token !== reply.token) return null
      found.timer[Symbol.dispose]()
      pending.delete(reply.id)
      return track(callback(reply, body))
    },
    /** Acknowledges what still waits. */
    async flush(): Promise<void> {
      for (const { reply } of pending.values()) void track(acknowledge(reply))
      await Promise.all(responding)
    },
  }
}
export type Interactions = ReturnType<typeof createInteractions>
