import type { Content } from '../../../domain/chat-post/content.ts'
import { postsAbout } from '../../../domain/chat-post/store.ts'
import { loadAgentMessage } from '../../../domain/chat/store-agent-messages.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import { mayHoldSecrets } from '../../../domain/risk/paths.ts'
import type { UserId } from '../../../domain/user/id.ts'
import type { Database } from '../../../db/open.ts'
import type { Clock } from '../../../lib/clock.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { newId } from '../../../lib/id.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { Posts } from '../posts.ts'
import { createAgentMessages, type AgentMessagesDeps } from './agent-messages.ts'
import { answererName, answerersOf } from './answerers.ts'
import { describeDestinations, targetOf, type Described, type SendingSession, type Target } from './destinations.ts'
import { emptyMessage, fileTooLarge, notSentYet, rateLimited, secretFile, tooLong, unsupported } from './faults.ts'
import { knownMessage, ownMessage, sentSubject, type KnownMessage } from './known-messages.ts'

type Sent = { readonly messageId: string }
/** Identifies the call of a tool: made again after a crash, it sends nothing twice. */
type CallKey = string | null

/** What agents do in chats, and with other agents. */
export type Outgoing = {
  destinations(session: SendingSession): Promise<Described[]>
  send(
    session: SendingSession,
    message: { to: string | null; text: string; replyTo: string | null },
    key: CallKey,
  ): Promise<Result<Sent>>
  sendFile(session: SendingSession, file: OutgoingFile, key: CallKey): Promise<Result<Sent>>
  edit(session: SendingSession, messageId: string, text: string): Promise<Result<void>>
  react(session: SendingSession, messageId: string, emoji: string): Promise<Result<void>>
  /** Who may answer a question; null: the session's owner and delegates. */
  answerers(session: SendingSession, names: readonly string[]): Promise<Result<UserId[] | null>>
  /** How agents know the person who answered. */
  answererName(answeredBy: string): Promise<string>
}

export type OutgoingFile = {
  readonly to: string | null
  readonly text: string | null
  /** The name that people see; the file's own if null. */
  readonly name: string | null
  /** Reads the file from the workspace; `inside` is its real path there. */
  read(most: number): Promise<Result<{ inside: string; bytes: Buffer }>>
}

export type OutgoingDeps = AgentMessagesDeps & {
  database: Pick<Database, 'read' | 'write' | 'flavor'>
  posts: Posts
  clock: Clock
}

const mostCharacters = 20_000
const mostFileBytes = 20_000_000
const mostAMinute = 30

export function createOutgoing(deps: OutgoingDeps): Outgoing {
  const { posts, clock } = deps
  const { read } = deps.database
  const agents = createAgentMessages(deps)
  const limit = createRateLimit({ clock, most: mostAMinute, perMs: 60_000 })

  const limited = ({ id }: SendingSession): Failed | null => {
    const seconds = limit.take(id)
    return seconds === null ? null : rateLimited(seconds)
  }
  const idOf = ({ id }: SendingSession, key: CallKey): string =>
    key === null ? newId() : derivedId('chat message', id, key)

  /** The same call was made before, and its message is on its way. */
  async function isSent(id: string): Promise<boolean> {
    if ((await postsAbout(read, sentSubject(id))).length > 0) return true
    const toAgent = await loadAgentMessage(read, id as QueueItemId)
    return toAgent !== undefined && toAgent.deliveredAt !== null
  }

  async function post(
    session: SendingSession,
    target: Extract<Target, { type: 'channel' }>,
    messageId: string,
    content: Content,
    replyTo: string | null = null,
  ): Promise<Result<Sent>> {
    const { chatId, thread } = target
    const put = await posts.put({
      chatId,
      thread,
      sessionId: session.id,
      subject: sentSubject(messageId),
      content,
      replyTo,
    })
    return put.ok ? ok({ messageId }) : put
  }

  /** A reply goes where the message is. */
  async function repliedTo(session: SendingSession, id: string, target: Target | null): Promise<Result<KnownMessage>> {
    const message = await knownMessage(read, session, id)
    if (!message.ok) return message
    if (message.value.platformId === null) return notSentYet(id)
    const elsewhere = target && (target.type === 'agent' || target.chatId !== message.value.chatId)
    return elsewhere ? fail(inAnotherChat) : message
  }

  return {
    destinations: (session) => describeDestinations(read, session),

    async send(session, { to, text, replyTo }, key) {
      const messageId = idOf(session, key)
      if (await isSent(messageId)) return ok({ messageId })
      const wrong = wrongText(text)
      if (wrong) return wrong
      const target = to === null && replyTo !== null ? null : await targetOf(read, session, to)
      if (target && !target.ok) return target
      const replied = replyTo === null ? null : await repliedTo(session, replyTo, target?.value ?? null)
      if (replied && !replied.ok) return replied
      const refused = limited(session)
      if (refused) return refused
      if (target?.value.type === 'agent') {
        const sent = await agents.send(session, target.value.agentGroupId, text, messageId as QueueItemId)
        return sent.ok ? ok({ messageId }) : sent
      }
      const place = replied?.value ?? target?.value
      if (!place) throw new Error('a message needs a destination or a message to reply to')
      const { chatId, thread } = place
      const content: Content = { kind: 'text', text }
      return post(session, { type: 'channel', chatId, thread }, messageId, content, replied?.value.platformId ?? null)
    },

    async sendFile(session, { to, text, name, read: readFile }, key) {
      const messageId = idOf(session, key)
      if (await isSent(messageId)) return ok({ messageId })
      if (text !== null && text.length > mostCharacters) return tooLong(mostCharacters)
      const target = await targetOf(read, session, to)
      if (!target.ok) return target
      if (target.value.type === 'agent') return unsupported('Files can only be sent to chats.')
      const most = await posts.mostFileBytes(target.value.chatId)
      if (!most.ok) return most
      const allowed = Math.min(most.value, mostFileBytes)
      const file = await readFile(allowed)
      if (!file.ok) return file.fault.kind === 'too_large' ? fileTooLarge(allowed) : file
      const { inside, bytes } = file.value
      if (mayHoldSecrets(inside)) return secretFile(inside)
      const refused = limited(session)
      if (refused) return refused
      const content: Content = {
        kind: 'file',
        name: shownName(name ?? inside),
        bytes,
        text: text?.trim() ? text : null,
      }
      return post(session, target.value, messageId, content)
    },

    async edit(session, messageId, text) {
      const wrong = wrongText(text)
      if (wrong) return wrong
      const message = await ownMessage(read, session, messageId)
      if (!message.ok) return message
      const isFile = message.value.posts.some(({ content }) => content.kind === 'message' && content.file !== null)
      if (isFile) return unsupported("Files can't be edited.", 'Send a new file.')
      const refused = limited(session)
      if (refused) return refused
      const { chatId, thread } = message.value
      const edited = await post(session, { type: 'channel', chatId, thread }, messageId, { kind: 'text', text })
      return edited.ok ? ok(undefined) : edited
    },

    async react(session, messageId, emoji) {
      const message = await knownMessage(read, session, messageId)
      if (!message.ok) return message
      const { chatId, thread, platformId } = message.value
      if (platformId === null) return notSentYet(messageId)
      const refused = limited(session)
      if (refused) return refused
      const id = derivedId<string>('reaction', session.id, chatId, platformId, emoji)
      const content = { kind: 'reaction' as const, emoji, messageId: platformId }
      const put = await posts.put({ chatId, thread, sessionId: session.id, subject: { kind: 'reaction', id }, content })
      return put.ok ? ok(undefined) : put
    },

    answerers: (session, names) => answerersOf(read, session, names),
    answererName: (answeredBy) => answererName(read, answeredBy),
  }
}

function wrongText(text: string): Failed | null {
  if (text.trim() === '') return emptyMessage
  return text.length > mostCharacters ? tooLong(mostCharacters) : null
}

/** The last part of a path, on one line. */
const shownName = (path: string): string =>
  (path.split(/[/\\]/).at(-1) ?? '')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 200) || 'file'

const inAnotherChat = {
  kind: 'invalid' as const,
  code: 'message_not_found',
  message: 'reply_to belongs to another chat.',
  hint: 'Leave `to` out: a reply goes to the chat of the message.',
}
