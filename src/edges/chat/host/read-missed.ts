import type { App } from '../../../app/app.ts'
import { chatIdOf } from '../../../app/chat/records.ts'
import type { Receiver } from '../adapter.ts'
import type { Connected } from './connections.ts'
import type { Logger } from '../../../lib/log.ts'

const mostPages = 20

type Deps = { app: Pick<App, 'chat'>; log: Logger; take: Receiver['take'] }

/**
 * After a gap, reads what people wrote meanwhile: in the chats that agent groups listen in, and in the threads that were
 * heard from or that sessions live in. Messages that were stored already have the same key, so they count once.
 */
export async function readMissed({ app, log, take }: Deps, to: Connected, stop: AbortSignal): Promise<number> {
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
        const missed = await connection.missed(chat, thread, after, stop)
        if (missed.kind !== 'read') {
          log.warn({ chat: id, error: missed.error }, 'what was written meanwhile could not be read')
          break
        }
        for (const event of missed.events) await take(event)
        found += missed.events.length
        const newest = missed.events.at(-1)
        if (!missed.more || !newest) break
        after = newest.messageId
      }
    }
  }
  return found
}
