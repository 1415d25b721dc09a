import { sql } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { isRecord, jsonColumn } from '../../lib/parse-json.ts'
import type { SessionId } from '../session/id.ts'
import type { Ranked } from './change-item.ts'
import type { PromptFiles, QueueChange, QueueItem, QueueItemId } from './schema.ts'
import type { QueueTables } from './table.ts'

type Row = Omit<QueueTables['queue_items'], 'seq' | 'rank'>

const filesColumn = jsonColumn('queue_items.files', (value): value is PromptFiles => isRecord(value))

const toItem = (row: Row): QueueItem => ({
  id: row.id,
  sessionId: row.session_id,
  text: row.words,
  when: row.place,
  status: row.status,
  by: row.added_by,
  createdAt: row.created_at,
  deliveredAt: row.delivered_at,
  ...withFiles(filesColumn(row.files)),
})

const withFiles = (files: PromptFiles | null): Pick<QueueItem, 'attachments' | 'links'> => ({
  ...(files && files.attachments.length > 0 && { attachments: [...files.attachments] }),
  ...(files && files.links.length > 0 && { links: [...files.links] }),
})

/** Those that were moved have the positions of those they were moved among. */
const position = sql<number | string>`coalesce(rank, seq)`

export async function loadQueueItem(db: Executor, id: QueueItemId): Promise<QueueItem | undefined> {
  const row = await db.selectFrom('queue_items').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toItem(row)
}

export async function listQueue(db: Executor, sessionId: SessionId): Promise<QueueItem[]> {
  const rows = await db
    .selectFrom('queue_items')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy(position)
    .execute()
  return rows.map(toItem)
}

/** The item whose turn is running, if any, and the next one. */
export async function headOfQueue(
  db: Executor,
  sessionId: SessionId,
): Promise<{ sent: QueueItem | undefined; next: QueueItem | undefined }> {
  const rows = await db
    .selectFrom('queue_items')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('status', 'in', ['waiting', 'sent'])
    .orderBy(position)
    .execute()
  const items = rows.map(toItem)
  const next = inOrder(items.filter((item) => item.status === 'waiting'))[0]
  return { sent: items.find((item) => item.status === 'sent'), next }
}

/** Waiting items in delivery order. */
export const waitingItems = async (db: Executor, sessionId: SessionId): Promise<QueueItem[]> =>
  inOrder((await listQueue(db, sessionId)).filter((item) => item.status === 'waiting'))

const inOrder = (items: readonly QueueItem[]): QueueItem[] =>
  (['now', 'next', 'later'] as const).flatMap((place) => items.filter((item) => item.when === place))

export async function projectQueue(tx: Tx, change: QueueChange, at: string): Promise<void> {
  switch (change.type) {
    case 'queue.added': {
      const { id, sessionId, when, by } = change.data
      await tx
        .insertInto('queue_items')
        .values({
          id,
          session_id: sessionId,
          words: change.body,
          place: when,
          status: 'waiting',
          added_by: by,
          created_at: at,
          delivered_at: null,
          files: change.files ? JSON.stringify(change.files) : null,
        })
        .execute()
      const attached = change.files?.attachments ?? []
      if (attached.length > 0)
        await tx
          .insertInto('queue_attachments')
          .values(attached.map((file) => ({ item_id: id, attachment_id: file.id })))
          .execute()
      return
    }
    case 'queue.changed': {
      const { id, when, by } = change.data
      const { text, ranks } = change.body
      await set(tx, id, { place: when, ...(text !== null && { words: text, added_by: by }) })
      for (const one of ranks)
        await tx.updateTable('queue_items').set({ rank: one.rank }).where('id', '=', one.id).execute()
      return
    }
    case 'queue.sent':
      return set(tx, change.data.id, { status: 'sent' })
    case 'queue.delivered':
      return set(tx, change.data.id, { status: 'delivered', delivered_at: at })
    case 'queue.dropped':
      return set(tx, change.data.id, { status: 'dropped' })
    case 'queue.moved':
      await tx
        .updateTable('queue_items')
        .set({ session_id: change.data.sessionId })
        .where('session_id', '=', change.data.from)
        .where('status', '=', 'waiting')
        .execute()
      return
    default:
      change satisfies never
  }
}

/** The waiting items of a session, with what decides their positions. */
export async function waitingRanks(db: Executor, sessionId: SessionId): Promise<Ranked[]> {
  const rows = await db
    .selectFrom('queue_items')
    .select(['id', 'place', position.as('rank')])
    .where('session_id', '=', sessionId)
    .where('status', '=', 'waiting')
    .orderBy(position)
    .execute()
  return rows.map(({ id, place, rank }) => ({ id, when: place, rank: Number(rank) }))
}

async function set(tx: Tx, id: QueueItemId, values: Partial<Row>): Promise<void> {
  await tx.updateTable('queue_items').set(values).where('id', '=', id).execute()
}
