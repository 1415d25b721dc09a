import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { ChatInstanceId, InboxId, WiringId } from './id.ts'
import type { IncomingMessage } from './incoming.ts'
import type { Delivery } from './records.ts'
import { eventColumn } from './store-inbox.ts'

export async function deliveriesOf(db: Executor, id: InboxId): Promise<Delivery[]> {
  const rows = await db.selectFrom('chat_deliveries').selectAll().where('inbox_id', '=', id).execute()
  return rows.map((row) => ({
    wiringId: row.wiring_id,
    outcome: row.outcome,
    sessionId: row.session_id,
    detail: row.detail,
  }))
}

export async function noteDelivery(
  db: Executor,
  id: InboxId,
  { wiringId, outcome, sessionId, detail }: Delivery,
  at: string,
): Promise<void> {
  const values = { outcome, session_id: sessionId, detail: detail?.slice(0, 2000) ?? null, at }
  await db
    .insertInto('chat_deliveries')
    .values({ inbox_id: id, wiring_id: wiringId, ...values })
    .onConflict((conflict) => conflict.columns(['inbox_id', 'wiring_id']).doUpdateSet(values))
    .execute()
}

type Kept = { readonly id: InboxId; readonly message: IncomingMessage }

/** Messages of a thread that are kept as context for a wiring, oldest first. */
export async function keptFor(db: Executor, wiringId: WiringId, thread: string, most: number): Promise<Kept[]> {
  const rows = await db
    .selectFrom('chat_deliveries')
    .innerJoin('chat_inbox', 'chat_inbox.id', 'chat_deliveries.inbox_id')
    .select(['chat_inbox.id', 'chat_inbox.body'])
    .where('chat_deliveries.wiring_id', '=', wiringId)
    .where('chat_deliveries.outcome', '=', 'kept')
    .where('chat_deliveries.detail', '=', thread)
    .orderBy('chat_inbox.seq', 'desc')
    .limit(most)
    .execute()
  return rows.toReversed().flatMap(({ id, body }) => {
    const event = eventColumn(body)
    return event.kind === 'message' ? [{ id, message: event }] : []
  })
}

/** The context that went along with a message is not given again. */
export async function settleKept(db: Executor, wiringId: WiringId, thread: string, sessionId: SessionId) {
  await db
    .updateTable('chat_deliveries')
    .set({ outcome: 'delivered', session_id: sessionId })
    .where('wiring_id', '=', wiringId)
    .where('outcome', '=', 'kept')
    .where('detail', '=', thread)
    .execute()
}

type Reached = { instanceId: ChatInstanceId; wiringId: WiringId; message: IncomingMessage }

/** Messages that reached sessions, the last first. */
const reached = (db: Executor, sessions: readonly SessionId[]) =>
  db
    .selectFrom('chat_deliveries')
    .innerJoin('chat_inbox', 'chat_inbox.id', 'chat_deliveries.inbox_id')
    .select(['chat_inbox.instance_id', 'chat_inbox.body', 'chat_deliveries.wiring_id'])
    .where('chat_deliveries.session_id', 'in', sessions)
    .where('chat_deliveries.outcome', '=', 'delivered')
    .orderBy('chat_inbox.seq', 'desc')

function toReached(row: { instance_id: ChatInstanceId; body: string; wiring_id: WiringId }): Reached[] {
  const event = eventColumn(row.body)
  return event.kind === 'message' ? [{ instanceId: row.instance_id, wiringId: row.wiring_id, message: event }] : []
}

/** The last message that reached a session. */
export const lastMessageTo = async (db: Executor, sessionId: SessionId): Promise<Reached | undefined> =>
  (await reached(db, [sessionId]).limit(1).execute()).flatMap(toReached)[0]

const mostSearched = 200

/** The message with this id of its platform, if it reached one of the sessions lately. */
export async function messageTo(
  db: Executor,
  sessions: readonly SessionId[],
  messageId: string,
): Promise<Reached | undefined> {
  const rows = await reached(db, sessions).limit(mostSearched).execute()
  return rows.flatMap(toReached).find(({ message }) => message.messageId === messageId)
}
