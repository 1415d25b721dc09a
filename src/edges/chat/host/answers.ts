import type { Reply } from '../../../app/chat/commands/reply.ts'
import type { ChatRef, ChatSender, ReplyToken } from '../../../domain/chat/incoming.ts'
import type { InboxRow } from '../../../domain/chat/records.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import type { Content } from '../adapter.ts'
import type { Connected } from './connections.ts'
import type { HostDeps } from './instance-deps.ts'

/** What somebody said or pressed, as far as an answer to it depends on it. */
export type Spoken = {
  readonly chat: ChatRef
  readonly thread: string | null
  readonly sender: ChatSender
  readonly messageId?: string
  readonly reply?: ReplyToken
}

const hourMs = 3_600_000

/** Answers for the sender alone, or for everyone in the thread. */
export function createAnswers({ app, posts, clock, log }: Pick<HostDeps, 'app' | 'posts' | 'clock' | 'log'>) {
  const hints = createRateLimit({ clock, most: 1, perMs: hourMs })

  /** False if we do not know the chat. */
  async function aloud(row: InboxRow, event: Spoken, to: Connected, content: Content): Promise<boolean> {
    const { chat, thread } = event
    const known = await app.chat.chatAt(to.instance, chat.id)
    if (!known || known.removed) return false
    const opened = to.platform.opensThreads && chat.isGroup ? (event.messageId ?? null) : null
    const subject = { kind: 'reply', id: row.id }
    const done = await posts.put({ chatId: known.id, thread: thread ?? opened, sessionId: null, subject, content })
    return done.ok
  }

  return async function answer(row: InboxRow, event: Spoken, to: Connected, reply: Reply): Promise<void> {
    if (reply === null) return
    const { chat, thread, sender } = event
    if (reply.to === 'thread' && (await aloud(row, event, to, reply.content))) return
    const reader = {
      chat: chat.id,
      thread,
      handle: sender.handle,
      ...(event.reply !== undefined && { reply: event.reply }),
    }
    const sent = await to.connection.privately(reader, reply.content)
    if (sent.kind === 'sent') return
    log.warn({ inbox: row.id, error: sent.error }, 'a reply did not arrive')
    // Bots can't begin a chat with a person. Without a word, a command would look broken.
    if (sent.kind === 'gone' && chat.isGroup && hints.take(`${to.instance.id}/${sender.handle}`) === null)
      await aloud(row, event, to, { kind: 'text', text: hintFor(sender) })
  }
}

const hintFor = ({ name }: ChatSender): string =>
  `${name === null ? '' : `${name.slice(0, 80)}: `}The answer is for you alone, but I can't write to you. Open a chat with me and start it, then try again.`
