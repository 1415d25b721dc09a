import type { App } from '../../../app/app.ts'
import { chatIdOf } from '../../../app/chat/records.ts'
import { backoff } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Failure, IncomingMessage } from '../adapter.ts'
import { waitUntil } from '../wait-until.ts'
import type { Connected } from './connections.ts'
import type { Logger } from '../../../lib/log.ts'

const mostPages = 20
const mostTries = 5

type Deps = {
  app: Pick<App, 'chat'>
  clock: Clock
  log: Logger
  take(events: readonly IncomingMessage[]): Promise<void>
}

/**
 * After a gap, reads what people wrote meanwhile: in the chats that agent groups listen in, and in the threads that were
 * heard from or that sessions live in. Messages that were stored already have the same key, so they count once.
 */
export async function readMissed({ app, clock, log, take }: Deps, to: Connected, stop: AbortSignal): Promise<number> {
  const { instance, connection } = to
  let found = 0
  for (const watched of await app.chat.watched(instance.id)) {
    const { platformId, name, isGroup } = watched
    const id = chatIdOf(instance, platformId)
    const chat = { id, name, isGroup, isDirect: !isGroup }
    const seen = await app.chat.inbox.lastSeen(instance.id, id)
    // A thread that nobody has replied in yet begins with the message it has its id from.
    const fresh = (await app.chat.threads(watched)).filter((thread) => !seen.has(thread))
    const places = [
      ...[...seen].map(([thread, { messageId }]) => ({ thread, from: messageId })),
      ...fresh.map((thread) => ({ thread, from: thread })),
    ]
    for (const { thread, from } of places) {
      let after = from
      for (let page = 0; page < mostPages && !stop.aborted; page += 1) {
        const missed = await patiently(clock, () => connection.missed(chat, thread, after, stop), stop)
        if (missed.kind !== 'read') {
          log.warn({ chat: id, error: missed.error }, 'what was written meanwhile could not be read')
          break
        }
        // A page is one commit: new messages wait until all of this is stored.
        if (missed.events.length > 0) await take(missed.events)
        found += missed.events.length
        const newest = missed.events.at(-1)
        if (!missed.more || !newest) break
        after = newest.messageId
      }
    }
  }
  return found
}

/** What is not read now is not asked for again, once newer messages are stored. */
async function patiently<T extends { kind: string }>(
  clock: Clock,
  read: () => Promise<T | Failure>,
  stop: AbortSignal,
): Promise<T | Failure> {
  for (let tries = 1; ; tries += 1) {
    const answer = await read()
    const isPassing = answer.kind === 'transient' || answer.kind === 'rate_limited'
    if (!isPassing || tries === mostTries || stop.aborted) return answer
    const asked = 'retryAfterMs' in answer ? answer.retryAfterMs : 0
    await waitUntil(clock, clock.now() + Math.max(asked, backoff(tries, 250, 5000)), stop)
  }
}
