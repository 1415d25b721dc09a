import type { Selectable } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { newId } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import { setCursor } from '../chat-instance/store.ts'
import type { ChatInstanceId, InboxId } from './id.ts'
import type { Incoming, IncomingMessage } from './incoming.ts'
import type { InboxRow } from './records.ts'
import { webPlatform } from './web-chat.ts'
import type { ChatTables } from './table.ts'

export const eventColumn = jsonColumn('chat_inbox.body', isTaggedBy<Incoming>('kind'))
export const nothing = '{}'

const toRow = (row: Selectable<ChatTables['chat_inbox']>): InboxRow => ({
  id: row.id,
  instanceId: row.instance_id,
  lane: row.lane,
  event: eventColumn(row.body),
  status: row.status,
  askId: row.ask_id,
  attempts: row.attempts,
  receivedAt: row.received_at,
})

export type NewInboxRow = {
  readonly instanceId: ChatInstanceId
  readonly lane: string
  readonly event: Incoming
  /** Where the platform continues after this event. */
  readonly cursor?: Json | undefined
}

/** False if the event was there already. */
export async function addEvent(tx: Tx, { instanceId, lane, event, cursor }: NewInboxRow, at: string): Promise<boolean> {
  const added = await tx
    .insertInto('chat_inbox')
    .values({
      id: newId<InboxId>(),
      instance_id: instanceId,
      event_key: event.key,
      lane,
      kind: event.kind,
      body: JSON.stringify(event),
      received_at: at,
      status: 'waiting',
      ask_id: null,
      attempts: 0,
      next_at: at,
      error: null,
      done_at: null,
    })
    .onConflict((conflict) => conflict.columns(['instance_id', 'event_key']).doNothing())
    .returning('id')
    .execute()
  if (cursor !== undefined) await setCursor(tx, instanceId, cursor)
  return added.length === 1
}

/** Which of these events of an instance were stored; the keys of ignored ones are kept too. */
export async function storedAmong(
  db: Executor,
  instanceId: ChatInstanceId,
  keys: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await db
    .selectFrom('chat_inbox')
    .select('event_key')
    .where('instance_id', '=', instanceId)
    .where('event_key', 'in', keys)
    .execute()
  return new Set(rows.map((row) => row.event_key))
}

/** The oldest waiting event of each lane, if it is due; without lanes that are being handled. */
export async function dueEvents(
  db: Executor,
  now: string,
  { instances, busy, limit }: { instances: readonly ChatInstanceId[]; busy: readonly string[]; limit: number },
): Promise<InboxRow[]> {
  if (instances.length === 0) return []
  let query = db
    .selectFrom('chat_inbox')
    .selectAll()
    .where('status', '=', 'waiting')
    .where('next_at', '<=', now)
    .where('instance_id', 'in', instances)
    // Read once for all lanes: somebody may have filled a lane that waits.
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('chat_inbox as first')
        .select(({ fn }) => fn.min('first.seq').as('seq'))
        .where('first.status', '=', 'waiting')
        .where('first.instance_id', 'in', instances)
        .groupBy('first.lane'),
    )
    .orderBy('seq')
    .limit(limit)
  if (busy.length > 0) query = query.where('lane', 'not in', busy)
  return (await query.execute()).map(toRow)
}

/** A command that was given in a chat; undefined if it is forgotten, or was something else. */
export async function loadGiven(
  db: Executor,
  id: InboxId,
): Promise<(Pick<IncomingMessage, 'chat' | 'thread' | 'sender' | 'text'> & { messageId: string | null }) | undefined> {
  const row = await db.selectFrom('chat_inbox').selectAll().where('id', '=', id).executeTakeFirst()
  const event = row && row.status !== 'ignored' ? toRow(row).event : undefined
  if (event?.kind !== 'message' && event?.kind !== 'command') return undefined
  const { chat, thread, sender, text } = event
  return { chat, thread, sender, text, messageId: event.kind === 'message' ? event.messageId : null }
}

/** When the next waiting event is due; null if there is none. */
export async function nextEventAt(db: Executor, instances: readonly ChatInstanceId[]): Promise<string | null> {
  if (instances.length === 0) return null
  const row = await db
    .selectFrom('chat_inbox')
    .select((eb) => eb.fn.min('next_at').as('at'))
    .where('status', '=', 'waiting')
    .where('instance_id', 'in', instances)
    .executeTakeFirst()
  return row?.at ?? null
}

/** Of an ignored event nothing is kept but its key. */
export async function settleEvent(
  db: Executor,
  id: InboxId,
  { status, error = null }: { status: 'done' | 'ignored' | 'failed'; error?: string | null },
  at: string,
): Promise<void> {
  await db
    .updateTable('chat_inbox')
    .set({
      status,
      error: error?.slice(0, 2000) ?? null,
      ask_id: null,
      done_at: at,
      ...(status === 'ignored' && { body: nothing }),
    })
    .where('id', '=', id)
    .execute()
}

/** Platforms repeat an event for a day at most, so older ones need not be known. The web chat shows all of its own. */
export const forgetInbox = (db: Executor, before: string) =>
  db
    .deleteFrom('chat_inbox')
    .where('done_at', '<', before)
    .where('status', '!=', 'held')
    .where('instance_id', 'not in', (eb) =>
      eb.selectFrom('chat_instances').select('chat_instances.id').where('platform', '=', webPlatform),
    )
    .execute()

/** The newest message that was stored of each thread of a chat; null is the chat itself. */
export async function lastSeenIn(
  db: Executor,
  instanceId: ChatInstanceId,
  chatId: string,
): Promise<Map<string | null, { messageId: string; at: string }>> {
  const rows = await db
    .selectFrom('chat_inbox')
    .select(['body'])
    .where('instance_id', '=', instanceId)
    .where('kind', '=', 'message')
    .where('lane', 'like', `${instanceId}/${chatId.replaceAll(/[%_]/g, '_')}/%`)
    .where('body', '!=', nothing)
    .orderBy('seq', 'desc')
    .limit(mostLooked)
    .execute()
  const seen = new Map<string | null, { messageId: string; at: string }>()
  for (const { body } of rows) {
    const event = eventColumn(body)
    if (event.kind !== 'message' || event.chat.id !== chatId) continue
    const { thread, messageId, at } = event
    if (!seen.has(thread)) seen.set(thread, { messageId, at })
  }
  return seen
}

const mostLooked = 500
