import type { Content, Rendered } from '../../domain/chat-post/content.ts'
import type { ChatPost, NewPostPart, PostSubject } from '../../domain/chat-post/records.ts'
import { partsAt, writePost } from '../../domain/chat-post/store.ts'
import type { ChatInstanceId, MessagingGroupId } from '../../domain/chat/id.ts'
import { loadChat } from '../../domain/chat/store.ts'
import type { EventId } from '../../domain/audit/schema.ts'
import type { NewOutboxItem } from '../../domain/outbox/records.ts'
import { addItems } from '../../domain/outbox/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Guard } from '../../db/leases.ts'
import type { Database, Tx } from '../../db/open.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Outbox } from '../outbox.ts'

/** What posting needs to know of a platform. */
export type PostingPlatform = {
  /** Pure. Splits at the platform's limits; never drops text. */
  render(content: Content): readonly Rendered[]
  readonly oneAtATimePer: 'thread' | 'chat'
  readonly limits: { readonly fileBytes: number }
}

export type NewPost = {
  readonly chatId: MessagingGroupId
  /** A thread of the platform, or `threadOfSession`. */
  readonly thread: string | null
  readonly sessionId: SessionId | null
  /** Posting again about the same subject in the same place edits what is there. */
  readonly subject: PostSubject
  readonly content: Content | { readonly kind: 'reaction'; readonly emoji: string; readonly messageId: string }
  readonly replyTo?: string | null
}

/** Writes what is to be posted, with its rows in the outbox, in one transaction. The chat edge sends it. */
export type Posts = {
  put(post: NewPost, guard?: Guard): Promise<Result<readonly ChatPost[]>>
  /** How large a file can be in this chat. */
  mostFileBytes(chatId: MessagingGroupId): Promise<Result<number>>
}

/** Destinations of a chat begin with this; the thread follows. */
const chatDestination = (instanceId: ChatInstanceId, chatId: MessagingGroupId): string => `${instanceId}/${chatId}/`
export const chatOfDestination = (destination: string): string =>
  destination.slice(0, destination.indexOf('/', destination.indexOf('/') + 1) + 1)

/** The name of the sender in the outbox. */
export const chatSender = 'chat'

type Deps = {
  database: Pick<Database, 'read' | 'write'>
  outbox: Pick<Outbox, 'wake'>
  clock: Clock
  /** Null if this server has no such platform. */
  platform(channelType: string, instanceId: ChatInstanceId): Promise<PostingPlatform | null>
}

/** What is left of a text that became shorter. */
const nothingLeft: Content = { kind: 'text', text: '…' }

export function createPosts({ database, outbox, clock, platform }: Deps): Posts {
  const { read, write } = database

  /** Each message of the platform is a row of its own, sent and edited on its own. */
  function partsOf(post: NewPost, to: PostingPlatform, instanceId: ChatInstanceId, before: number): NewPostPart[] {
    const { chatId, thread, sessionId, subject, content, replyTo = null } = post
    const place = { instanceId, chatId, thread, sessionId, subject }
    if (content.kind === 'reaction') return [{ ...place, part: 0, content, file: null, replyTo }]
    const rendered = [...to.render(content)]
    while (rendered.length < before) rendered.push(...to.render(nothingLeft).slice(0, 1))
    const parts: NewPostPart[] = []
    for (const { body, file } of rendered) {
      const part = parts.length
      const message = { kind: 'message' as const, body, file: file?.name ?? null }
      parts.push({ ...place, part, content: message, file: file?.bytes ?? null, replyTo: part === 0 ? replyTo : null })
    }
    return parts
  }

  async function store(tx: Tx, parts: readonly NewPostPart[], destination: string): Promise<ChatPost[]> {
    const at = iso(clock.now())
    const posts: ChatPost[] = []
    const items: NewOutboxItem[] = []
    for (const part of parts) {
      const post = await writePost(tx, part, at)
      posts.push(post)
      if (post.sentRevision !== null && post.sentRevision >= post.revision) continue
      items.push({
        sender: chatSender,
        destination,
        lane: post.instanceId,
        key: `${post.id}:${post.revision}`,
        eventId: newId<EventId>(),
        type: 'post',
        subject: { kind: 'post', id: post.id, sessionId: post.sessionId },
        at,
      })
    }
    await addItems(tx, items)
    return posts
  }

  async function reach(chatId: MessagingGroupId) {
    const chat = await loadChat(read, chatId)
    if (!chat || chat.removed || chat.instanceId === null) return fail(noChat)
    const to = await platform(chat.channelType, chat.instanceId)
    return to ? ok({ chat, to, instanceId: chat.instanceId }) : fail(noPlatform(chat.channelType))
  }

  return {
    async mostFileBytes(chatId) {
      const reached = await reach(chatId)
      return reached.ok ? ok(reached.value.to.limits.fileBytes) : reached
    },
    async put(post, guard) {
      const reached = await reach(post.chatId)
      if (!reached.ok) return reached
      const { chat, to, instanceId } = reached.value
      const thread = to.oneAtATimePer === 'chat' ? '' : (post.thread ?? '')
      const before = await partsAt(read, post)
      const parts = partsOf(post, to, instanceId, before)
      const posts = await write.transaction().execute(async (tx) => {
        await guard?.(tx)
        return store(tx, parts, `${chatDestination(instanceId, chat.id)}${thread}`)
      })
      outbox.wake(chatSender)
      return ok(posts)
    },
  }
}

const noChat = {
  kind: 'not_found' as const,
  code: 'chat_not_found',
  message: 'The chat no longer exists, or no account is connected to it.',
}

const noPlatform = (channelType: string) => ({
  kind: 'unavailable' as const,
  code: 'platform_unavailable',
  message: `This server has no adapter for ${channelType}.`,
})
