import { chatIdOf } from '../../../app/chat/records.ts'
import { chatOfDestination, chatSender } from '../../../app/chat/posts.ts'
import type { Sender } from '../../../app/outbox.ts'
import type { OutboxItem, SendOutcome } from '../../../domain/outbox/records.ts'
import { sessionOfThread, type ChatPost, type ChatPostId } from '../../../domain/chat-post/records.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { iso } from '../../../lib/clock.ts'
import type { Failure, Outgoing, Sent } from '../adapter.ts'
import type { Connected, Connections } from './connections.ts'
import type { HostDeps } from './instance-deps.ts'
import { seeing } from '../../../app/chat/seeing.ts'

type Deps = Pick<HostDeps, 'app' | 'clock' | 'log'> & {
  connections: Pick<Connections, 'get' | 'all'>
  /** A post was given up. */
  gaveUp(post: ChatPost, error: string): Promise<void>
}

/** An upload may take two minutes. */
const claimMs = 150_000
const mostPerLane = 64
/** Threads of a chat that hangs hold no more of them. */
const mostPerChat = 8

/** Sends posts: each once, and edited in place until it shows the newest revision. */
export function createChatSender({ app, clock, log, connections, gaveUp }: Deps): Sender {
  const { posts } = app.chat
  const now = () => iso(clock.now())

  /** Where a post goes. The thread of a session is known once its first post is sent; until then, `later`. */
  async function placeOf(post: ChatPost, { instance, platform }: Connected) {
    const chat = await app.chat.chat(post.chatId)
    if (!chat) return null
    const at = { chat: chatIdOf(instance, chat.platformId), thread: post.thread, replyTo: post.replyTo }
    const sessionId = sessionOfThread(post.thread)
    if (sessionId === null) return at
    const root = (await posts.about({ kind: 'session', id: sessionId })).find(
      ({ chatId, part }) => chatId === post.chatId && part === 0,
    )
    // The posts of a session may be gone; its thread never changes (X11).
    const id = root?.id === post.id ? null : (root?.platformMessageId ?? (await threadTsOf(sessionId)))
    if (id === null && root?.id !== post.id) return 'later'
    return platform.opensThreads ? { ...at, thread: id } : { ...at, thread: null, replyTo: post.replyTo ?? id }
  }

  async function threadTsOf(id: SessionId): Promise<string | null> {
    const session = await app.read.session(seeing, id)
    return session.ok ? session.value.threadTs : null
  }

  /** X11: everything else of the session goes into the thread of its first message, also that of its successors. */
  async function noteThread({ subject, thread, part, chatId }: ChatPost, messageId: string): Promise<void> {
    const rootId = sessionOfThread(thread)
    if (rootId === null || subject.kind !== 'session' || part !== 0) return
    const id = subject.id as SessionId
    if ((await threadTsOf(id)) !== null) return
    const root = (await posts.about({ kind: 'session', id: rootId })).find((one) => one.chatId === chatId)
    const threadTs = id === rootId ? messageId : (root?.platformMessageId ?? null)
    if (threadTs !== null) await app.dispatch({ type: 'session.set_thread', id, threadTs }, seeing.actor)
  }

  async function settled(post: ChatPost, sent: Sent, { platform }: Connected): Promise<SendOutcome> {
    if (sent.kind !== 'sent') return outcomeOf(sent)
    const { messageId } = sent
    const inSlack = platform.name === 'slack' && post.part === 0 ? post.subject : undefined
    await posts.sent(post.id, { revision: post.revision, messageId }, now(), inSlack)
    await noteThread(post, messageId)
    return { kind: 'sent' }
  }

  /** Null if it is to be sent. What nobody can tell about is sent again once, and not a third time. */
  async function lookedFor(
    post: ChatPost,
    message: Outgoing,
    to: Connected,
    { isOnDemand, stop }: { isOnDemand: boolean; stop: AbortSignal },
  ): Promise<SendOutcome | null> {
    const search = {
      after: await posts.lastBefore(post, to.platform.oneAtATimePer),
      since: Date.parse(post.firstTryAt ?? post.createdAt),
      lookedTo: post.lookedTo,
      known: (among: Parameters<typeof posts.known>[1]) => posts.known(post, among),
    }
    const found = await to.connection.find(message, search, stop)
    if (found.kind === 'found') return settled(post, { kind: 'sent', messageId: found.messageId }, to)
    if (found.kind === 'absent') return null
    if (found.kind === 'looking') {
      await posts.looked(post.id, found.lookedTo)
      return outcomeOf(found.because)
    }
    if (found.kind !== 'unknown') return outcomeOf(found)
    if (post.resentAt !== null && !isOnDemand)
      return { kind: 'permanent', error: `it was sent twice, and may have arrived twice: ${found.error}` }
    log.warn({ post: post.id, error: found.error }, 'sent again: it may have arrived before')
    await posts.resent(post.id, now())
    return null
  }

  async function post(
    item: ChatPost,
    to: Connected,
    { inDoubt, attempt }: Pick<OutboxItem, 'inDoubt' | 'attempt'>,
    stop: AbortSignal,
  ): Promise<SendOutcome> {
    const place = await placeOf(item, to)
    const { content } = item
    if (place === null) return { kind: 'gone', error: 'the chat was removed' }
    if (place === 'later') return { kind: 'transient', error: 'the thread of its session is not open yet' }
    if (content.kind === 'reaction')
      return settled(
        item,
        await to.connection.react({ ...place, messageId: content.messageId }, content.emoji, stop),
        to,
      )
    const file = content.file === null ? null : ((await posts.file(item.id)) ?? null)
    const rendered = { body: content.body, file }
    const message: Outgoing = { ...place, key: item.id, rendered, prepared: item.prepared }
    if (item.platformMessageId !== null) {
      // A message with a file is never edited.
      if (content.file !== null) return settled(item, { kind: 'sent', messageId: item.platformMessageId }, to)
      const where = { chat: place.chat, thread: place.thread, messageId: item.platformMessageId }
      return settled(item, await to.connection.edit(where, message, stop), to)
    }
    if (inDoubt && item.firstTryAt !== null) {
      // A dead letter that somebody retries begins with its first attempt again.
      const found = await lookedFor(item, message, to, { isOnDemand: attempt === 1, stop })
      if (found) return found
    }
    const prepared = await to.connection.prepare?.(message, stop)
    if (prepared && prepared.kind !== 'prepared') return outcomeOf(prepared)
    await posts.attempt(item.id, prepared?.prepared ?? null, now())
    return settled(item, await to.connection.send({ ...message, prepared: prepared?.prepared ?? null }, stop), to)
  }

  return {
    name: chatSender,
    ordered: true,
    inDoubt: 'again',
    claimMs,
    mostPerLane,
    groups: { prefixOf: chatOfDestination, most: mostPerChat },
    // What can't be sent now waits, and does not count as an attempt.
    lanes: () =>
      connections
        .all()
        .filter(({ connection }) => !['refused', 'stopped'].includes(connection.health().state))
        .map(({ instance }) => instance.id),
    async send({ subject, inDoubt, attempt }, stop) {
      const item = await posts.get(subject.id as ChatPostId)
      if (!item) return { kind: 'dropped' }
      if (item.sentRevision !== null && item.sentRevision >= item.revision) {
        // The server may have ended after the message was noted, before its thread was.
        if (item.platformMessageId !== null) await noteThread(item, item.platformMessageId)
        return { kind: 'dropped' }
      }
      const to = connections.get(item.instanceId)
      return to ? post(item, to, { inDoubt, attempt }, stop) : { kind: 'transient', error: 'not connected' }
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
