import { chatIdOf } from '../../../app/chat/records.ts'
import { chatSender } from '../../../app/chat/posts.ts'
import type { Sender } from '../../../app/outbox.ts'
import type { SendOutcome } from '../../../domain/outbox/records.ts'
import { sessionOfThread, type ChatPost, type ChatPostId } from '../../../domain/chat-post/records.ts'
import { iso } from '../../../lib/clock.ts'
import type { Failure, Outgoing, Sent } from '../adapter.ts'
import type { Connected, Connections } from './connections.ts'
import type { HostDeps } from './instance-deps.ts'

type Deps = Pick<HostDeps, 'app' | 'clock' | 'log'> & {
  connections: Pick<Connections, 'get' | 'all'>
  /** A post was given up. */
  gaveUp(post: ChatPost, error: string): Promise<void>
}

/** An upload may take two minutes. */
const claimMs = 150_000
/** A chat that hangs holds one of them. */
const mostPerLane = 64

const system = { kind: 'system' as const, name: 'chat' }

/** Sends posts: each once, and edited in place until it shows the newest revision. */
export function createChatSender({ app, clock, log, connections, gaveUp }: Deps): Sender {
  const { posts } = app.chat
  const now = () => iso(clock.now())

  /** Where a post goes. The thread of a session is known once its first post is sent. */
  async function placeOf(post: ChatPost, { instance, platform }: Connected) {
    const chat = await app.chat.chat(post.chatId)
    if (!chat) return null
    const at = { chat: chatIdOf(instance, chat.platformId), thread: post.thread, replyTo: post.replyTo }
    const sessionId = sessionOfThread(post.thread)
    if (sessionId === null) return at
    const root = (await posts.about({ kind: 'session', id: sessionId })).find(
      ({ chatId, part }) => chatId === post.chatId && part === 0,
    )
    const id = root && root.id !== post.id ? root.platformMessageId : null
    return platform.opensThreads ? { ...at, thread: id } : { ...at, thread: null, replyTo: post.replyTo ?? id }
  }

  /** X11: everything else of the session goes into the thread of its first message. */
  async function noteThread({ subject, thread, part }: ChatPost, messageId: string): Promise<void> {
    const sessionId = sessionOfThread(thread)
    if (sessionId === null || subject.kind !== 'session' || subject.id !== sessionId || part !== 0) return
    await app.dispatch({ type: 'session.set_thread', id: sessionId, threadTs: messageId }, system)
  }

  async function settled(post: ChatPost, sent: Sent): Promise<SendOutcome> {
    if (sent.kind !== 'sent') return outcomeOf(sent)
    await posts.sent(post.id, { revision: post.revision, messageId: sent.messageId }, now())
    await noteThread(post, sent.messageId)
    return { kind: 'sent' }
  }

  /** Null if it did not arrive, as far as the platform can tell. */
  async function lookedFor(post: ChatPost, message: Outgoing, to: Connected, stop: AbortSignal): Promise<Sent | null> {
    const after = await posts.lastBefore(post, to.platform.oneAtATimePer)
    const since = Date.parse(post.firstTryAt ?? post.createdAt)
    const found = await to.connection.find(message, { after, since }, stop)
    if (found.kind === 'found') return { kind: 'sent', messageId: found.messageId }
    if (found.kind === 'absent') return null
    if (found.kind !== 'unknown') return found
    log.warn({ post: post.id, error: found.error }, 'sent again: it may have arrived before')
    return null
  }

  async function post(item: ChatPost, to: Connected, inDoubt: boolean, stop: AbortSignal): Promise<SendOutcome> {
    const place = await placeOf(item, to)
    const { content } = item
    if (!place) return { kind: 'gone', error: 'the chat was removed' }
    if (content.kind === 'reaction')
      return settled(item, await to.connection.react({ ...place, messageId: content.messageId }, content.emoji, stop))
    const file = content.file === null ? null : ((await posts.file(item.id)) ?? null)
    const rendered = { body: content.body, file }
    const message: Outgoing = { ...place, key: item.id, rendered, prepared: item.prepared }
    if (item.platformMessageId !== null) {
      // A message with a file is never edited.
      if (content.file !== null) return settled(item, { kind: 'sent', messageId: item.platformMessageId })
      const where = { chat: place.chat, thread: place.thread, messageId: item.platformMessageId }
      return settled(item, await to.connection.edit(where, message, stop))
    }
    if (inDoubt && item.firstTryAt !== null) {
      const found = await lookedFor(item, message, to, stop)
      if (found) return settled(item, found)
    }
    const prepared = await to.connection.prepare?.(message, stop)
    if (prepared && prepared.kind !== 'prepared') return outcomeOf(prepared)
    await posts.attempt(item.id, prepared?.prepared ?? null, now())
    return settled(item, await to.connection.send({ ...message, prepared: prepared?.prepared ?? null }, stop))
  }

  return {
    name: chatSender,
    ordered: true,
    inDoubt: 'again',
    claimMs,
    mostPerLane,
    // What can't be sent now waits, and does not count as an attempt.
    lanes: () =>
      connections
        .all()
        .filter(({ connection }) => !['refused', 'stopped'].includes(connection.health().state))
        .map(({ instance }) => instance.id),
    async send({ subject, inDoubt }, stop) {
      const item = await posts.get(subject.id as ChatPostId)
      if (!item || (item.sentRevision !== null && item.sentRevision >= item.revision)) return { kind: 'dropped' }
      const to = connections.get(item.instanceId)
      return to ? post(item, to, inDoubt, stop) : { kind: 'transient', error: 'not connected' }
    },
    async failed({ subject }, error) {
      const item = await posts.get(subject.id as ChatPostId)
      if (item) await gaveUp(item, error)
    },
  }
}

/** A revoked token is not the message's fault: it is sent when there is a new one. */
const outcomeOf = (failure: Failure): SendOutcome => {
  if (failure.kind === 'rate_limited') return failure
  const { kind, error } = failure
  return { kind: kind === 'refused' ? 'transient' : kind, error }
}
