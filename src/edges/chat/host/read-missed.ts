import type { App } from '../../../app/app.ts'
import { chatIdOf } from '../../../app/chat/records.ts'
import type { Receiver } from '../adapter.ts'
import type { Connected } from './connections.ts'
import type { Logger } from '../../../lib/log.ts'

const mostPages = 20

type Deps = { app: Pick<App, 'chat'>; log: Logger; take: Receiver['take'] }

/**
 * After a gap, reads what people wrote meanwhile: in the chats that agent groups listen in, in the threads that were
 * heard from, and in those that sessions opened. Messages that were stored already have the same key, so they count once.
 */
export async function readMissed({ app, log, take }: Deps, to: Connected, stop: AbortSignal): Promise<number> {
  const { instance, connection } = to
  let found = 0
  for (const { platformId, name, isGroup } of await app.chat.watched(instance.id)) {
    const id = chatIdOf(instance, platformId)
    const chat = { id, name, isGroup, isDirect: !isGroup }
    const threads = new Map<string | null, string>()
    for (const thread of await app.chat.ownThreads(platformId)) threads.set(thread, thread)
    for (const [thread, { messageId }] of await app.chat.inbox.lastSeen(instance.id, id)) threads.set(thread, messageId)
    for (const [thread, last] of threads) {
      let after = last
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
