import { listAsks } from '../../domain/ask/query.ts'
import { answerTo } from '../../domain/chat/answer-text.ts'
import type { IncomingMessage } from '../../domain/chat/incoming.ts'
import { promptOf } from '../../domain/chat/prompt-text.ts'
import type { InboxRow } from '../../domain/chat/records.ts'
import type { Chat } from '../../domain/chat/schema.ts'
import { ownThreadSession } from '../../domain/chat/store-sessions.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { actorName } from '../../domain/user/actor.ts'
import type { UserId } from '../../domain/user/id.ts'
import { entryOfPerson } from '../../domain/user/store-entry.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { Fault } from '../../lib/result.ts'
import { loadSession } from '../../domain/session/store.ts'
import type { App } from '../app.ts'
import type { Requester } from '../use-cases/requester.ts'
import { requesterOf, type DeliverDeps } from './deliver.ts'
import { fittingAsks, severalAsks } from './open-asks.ts'
import { receiveFiles, type FetchFile } from './receive-files.ts'
import { isNotTheirs, ownersOnly } from './owners-only.ts'

/** The session that opened this thread by its first message (X11); it belongs to no agent group. */
export const sessionOfOwnThread = (
  { database }: Pick<DeliverDeps, 'database'>,
  message: IncomingMessage,
  chat: Chat,
): Promise<SessionId | null> =>
  message.thread === null
    ? Promise.resolve(null)
    : ownThreadSession(database.read, { channelId: chat.platformId, thread: message.thread })

type Deps = Omit<DeliverDeps, 'intend' | 'app'> & { app: DeliverDeps['app'] & Pick<App, 'read'> }
type Said = {
  readonly row: InboxRow
  readonly message: IncomingMessage
  readonly userId: UserId
  readonly fetch: FetchFile | undefined
}

/**
 * An answer to its open ask, else text for its agent. Null if it was taken; a fault says why not. `stranger`: someone
 * whom nobody let in.
 */
export async function toOwnThread(deps: Deps, said: Said, sessionId: SessionId): Promise<Fault | 'stranger' | null> {
  const { message, userId } = said
  const by = await requesterOf(deps.database, userId)
  const entry = await entryOfPerson(deps.database.read, by.standing, { userId, identity: message.sender.identity })
  if (entry === 'none') return 'stranger'
  const fault = await takeText(deps, said, sessionId, by)
  return fault && isNotTheirs(fault) ? ownersOnly(deps.app, sessionId) : fault
}

async function takeText(
  deps: Deps,
  { row, message, fetch }: Said,
  sessionId: SessionId,
  by: Requester,
): Promise<Fault | null> {
  const fitting = await fittingAsks(deps, sessionId, message.text, by.actor)
  const [only, ...others] = fitting
  if (others.length > 0 && fitting.every(({ exact }) => exact)) return severalAsks(fitting)
  if (only !== undefined && others.length === 0) {
    const answered = await deps.answerAsk(only.id, only.answer, { ...by, once: { key: `chat:${row.id}` } })
    return answered.ok ? null : answered.fault
  }
  if (await hasAnswered(deps, { row, message }, sessionId, by)) return null
  const id = derivedId<QueueItemId>(row.id, sessionId)
  const add = (text: string) => ({ type: 'queue.add' as const, id, sessionId, text, when: 'next' as const })
  const said = { message: { ...message, chat: { ...message.chat, isDirect: true } }, access: 'known' as const }
  const named = promptOf(said, [])
  if (named === '') return null
  // Nothing is fetched for someone who may not write to the session.
  const refused = message.files.length > 0 ? await deps.app.check(add(named), by.actor) : null
  if (refused === 'repeated') return null
  if (refused) return refused.fault.code === 'queue_item_exists' ? null : refused.fault
  const session = message.files.length > 0 ? await loadSession(deps.database.read, sessionId) : undefined
  const text = session
    ? promptOf(said, [], await receiveFiles({ ...deps, fetch }, [{ id: row.id, message }], session))
    : named
  const added = await deps.app.dispatch(add(text), by.actor)
  return added.ok || added.fault.code === 'queue_item_exists' ? null : added.fault
}

const mostRecent = 20

/** Since this message came, they answered an ask that it fits: it did so before a crash, or a button was quicker. */
async function hasAnswered(
  { database }: Pick<Deps, 'database'>,
  { row, message }: Pick<Said, 'row' | 'message'>,
  sessionId: SessionId,
  { actor }: Requester,
): Promise<boolean> {
  const recent = await listAsks(database.read, { sees: 'all' }, { sessionId, limit: mostRecent })
  return recent.some(
    ({ subject, answeredBy, answeredAt }) =>
      answeredBy === actorName(actor) &&
      answeredAt !== null &&
      answeredAt >= row.receivedAt &&
      answerTo(subject, message.text)?.exact === true,
  )
}
