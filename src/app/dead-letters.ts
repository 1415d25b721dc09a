import type { MessagingGroupId } from '../domain/chat/id.ts'
import { loadChat } from '../domain/chat/store.ts'
import type { Executor } from '../db/open.ts'
import { notFound, ok, type Result } from '../lib/result.ts'
import { chatSender } from './chat/posts.ts'
import type { DeadEvent, Follow } from './follow.ts'
import type { DeadItem, Outbox } from './outbox.ts'

/** An event that a follower could not handle, or a message that a sender could not deliver. */
export type DeadLetter = DeadEvent & {
  readonly kind: 'event' | 'message'
  /** For a message: its destination. */
  readonly destination: string | null
}

export type DeadLetters = {
  list(): Promise<DeadLetter[]>
  /** Hands the event to its follower again, or sends the message again. */
  retry(id: string): Promise<Result<DeadLetter>>
}

export const deadLetters = (follow: Follow, outbox: Outbox, db: Executor): DeadLetters => ({
  async list() {
    const events = (await follow.deadLetters()).map(ofEvent)
    const messages = await Promise.all((await outbox.dead()).map((item) => ofItem(item, db)))
    return [...events, ...messages].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  },
  async retry(id) {
    const item = await outbox.retry(id)
    if (item) return ok(await ofItem(item, db))
    const done = await follow.retry(id)
    if (done.ok) return ok(ofEvent(done.value))
    return done.fault.kind === 'not_found' ? notFound('dead_letter', id) : done
  },
})

const ofEvent = (letter: DeadEvent): DeadLetter => ({ ...letter, kind: 'event', destination: null })

/** A post goes to an instance, a chat and a thread, by their ids; people know the chat. */
async function nameOf({ sender, destination }: DeadItem, db: Executor): Promise<string> {
  const [, chatId] = sender === chatSender ? destination.split('/') : []
  const chat = chatId === undefined ? undefined : await loadChat(db, chatId as MessagingGroupId)
  return chat ? `${chat.channelType} ${chat.name ?? chat.platformId}` : destination
}

const ofItem = async (item: DeadItem, db: Executor): Promise<DeadLetter> => ({
  id: item.id,
  kind: 'message',
  follower: item.sender,
  destination: await nameOf(item, db),
  eventId: item.event_id,
  attempts: item.attempts,
  error: `${item.error_class ?? 'failed'}: ${item.error ?? ''}`,
  at: item.settled_at ?? '',
})
