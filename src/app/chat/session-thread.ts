import type { IncomingMessage } from '../../domain/chat/incoming.ts'
import { promptOf } from '../../domain/chat/prompt-text.ts'
import type { InboxRow } from '../../domain/chat/records.ts'
import type { Chat } from '../../domain/chat/schema.ts'
import { ownThreadSession } from '../../domain/chat/store-sessions.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { UserId } from '../../domain/user/id.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { Fault } from '../../lib/result.ts'
import { requesterOf, type DeliverDeps } from './deliver.ts'
import { fittingAsks, severalAsks } from './open-asks.ts'

/** The session that opened this thread by its first message (X11); it belongs to no agent group. */
export const sessionOfOwnThread = (
  { database }: Pick<DeliverDeps, 'database'>,
  message: IncomingMessage,
  chat: Chat,
): Promise<SessionId | null> =>
  message.thread === null
    ? Promise.resolve(null)
    : ownThreadSession(database.read, { channelId: chat.platformId, thread: message.thread })

/** An answer to its open ask, else text for its agent. Null if it was taken; a fault says why not. */
export async function toOwnThread(
  deps: Omit<DeliverDeps, 'intend'>,
  { row, message, userId }: { row: InboxRow; message: IncomingMessage; userId: UserId },
  sessionId: SessionId,
): Promise<Fault | null> {
  const by = await requesterOf(deps.database, userId)
  const fitting = await fittingAsks(deps, sessionId, message.text, by.actor)
  const [only, ...others] = fitting
  if (others.length > 0 && fitting.every(({ exact }) => exact)) return severalAsks(fitting)
  if (only !== undefined && others.length === 0) {
    const answered = await deps.answerAsk(only.id, only.answer, { ...by, once: { key: `chat:${row.id}` } })
    return answered.ok ? null : answered.fault
  }
  const text = promptOf({ message: { ...message, chat: { ...message.chat, isDirect: true } }, access: 'known' }, [])
  if (text === '') return null
  const id = derivedId<QueueItemId>(row.id, sessionId)
  const added = await deps.app.dispatch({ type: 'queue.add', id, sessionId, text, when: 'next' }, by.actor)
  return added.ok || added.fault.code === 'queue_item_exists' ? null : added.fault
}
