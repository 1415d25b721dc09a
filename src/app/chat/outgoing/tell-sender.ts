import type { ChatPost } from '../../../domain/chat-post/records.ts'
import { loadChat } from '../../../domain/chat/store.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { Database } from '../../../db/open.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { App } from '../../app.ts'

/** C4: tells the agent that a message it sent was not delivered for good, once per message. */
export type TellSender = (post: ChatPost, error: string) => Promise<void>

const system = { kind: 'system' as const, name: 'chat' }
const mostError = 500

/** Only what an agent sent with a tool; cards and summaries are Signalbox's own. */
const what: Readonly<Record<string, string>> = {
  sent: 'Your message',
  reaction: 'Your reaction',
}

export const createTellSender =
  ({ app, database }: { app: Pick<App, 'dispatch'>; database: Pick<Database, 'read'> }): TellSender =>
  async (post, error) => {
    const name = what[post.subject.kind]
    if (name === undefined || post.sessionId === null) return
    const chat = await loadChat(database.read, post.chatId)
    const where = chat?.name ?? chat?.platformId ?? 'a chat'
    const why = error.replaceAll(/\s+/g, ' ').trim().slice(0, mostError)
    const text = `${name} ${post.subject.id} to ${where} could not be sent: ${why}`
    // A session that has ended is not told; refused the second time, because the item exists.
    const id = derivedId<QueueItemId>('not sent', post.subject.id)
    await app.dispatch({ type: 'queue.add', id, sessionId: post.sessionId, text, when: 'next', waits: true }, system)
  }
