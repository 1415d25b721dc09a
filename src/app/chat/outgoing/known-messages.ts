import type { ChatPost, PostSubject } from '../../../domain/chat-post/records.ts'
import { postsAbout } from '../../../domain/chat-post/store.ts'
import { lastMessageTo, messageTo } from '../../../domain/chat/store-deliveries.ts'
import { lineageOf } from '../../../domain/session/query.ts'
import { loadSession } from '../../../domain/session/store.ts'
import type { Executor } from '../../../db/open.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { mayPostIn, placeOfMessage, type Place, type SendingSession } from './destinations.ts'
import { messageNotFound } from './faults.ts'

/** What agents send with tools. Its id is the message_id they get. */
export const sentSubject = (id: string): PostSubject => ({ kind: 'sent', id })

/** A message that a session can refer to: one that its agents sent, or one that it was sent. */
export type KnownMessage = Place & {
  /** The platform's id; null until it is sent. */
  readonly platformId: string | null
  /** Its parts, if it is ours. */
  readonly posts: readonly ChatPost[]
}

/** Whether another session of the same agent group, or an earlier one of the same agent, sent it. */
async function isOwn(db: Executor, session: SendingSession, { sessionId }: ChatPost): Promise<boolean> {
  if (sessionId === null || sessionId === session.id) return sessionId !== null
  const sender = await loadSession(db, sessionId)
  if (session.agentGroupId !== null) return sender?.agentGroupId === session.agentGroupId
  return (await lineageOf(db, session.id)).includes(sessionId)
}

/** Only messages that the session's agent group sent with tools. */
export async function ownMessage(db: Executor, session: SendingSession, id: string): Promise<Result<KnownMessage>> {
  const posts = await postsAbout(db, sentSubject(id))
  const [first] = posts
  if (!first || !(await isOwn(db, session, first)) || !(await mayPostIn(db, session, first.chatId)))
    return messageNotFound(id)
  const { chatId, thread, platformMessageId: platformId } = first
  return ok({ chatId, thread, platformId, posts })
}

const last = 'last'

/** Those, and messages that reached the session: by the platform's id, or `last`. */
export async function knownMessage(db: Executor, session: SendingSession, id: string): Promise<Result<KnownMessage>> {
  const own = await ownMessage(db, session, id)
  if (own.ok) return own
  const found =
    id === last ? await lastMessageTo(db, session.id) : await messageTo(db, await lineageOf(db, session.id), id)
  const place = found && (await placeOfMessage(db, session, found))
  if (!found || !place || !(await mayPostIn(db, session, place.chatId))) return messageNotFound(id)
  return ok({ ...place, platformId: found.message.messageId, posts: [] })
}
