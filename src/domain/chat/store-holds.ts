import type { Executor } from '../../db/open.ts'
import type { AskId } from '../ask/id.ts'
import type { InboxId } from './id.ts'
import { nothing } from './store-inbox.ts'

export async function postponeEvent(db: Executor, id: InboxId, attempts: number, nextAt: string, error: string) {
  await db
    .updateTable('chat_inbox')
    .set({ status: 'waiting', ask_id: null, attempts, next_at: nextAt, error: error.slice(0, 2000) })
    .where('id', '=', id)
    .execute()
}

export async function holdEvent(db: Executor, id: InboxId, askId: AskId): Promise<void> {
  await db.updateTable('chat_inbox').set({ status: 'held', ask_id: askId }).where('id', '=', id).execute()
}

export async function countHeld(db: Executor, askId: AskId): Promise<number> {
  const row = await db
    .selectFrom('chat_inbox')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('ask_id', '=', askId)
    .where('status', '=', 'held')
    .executeTakeFirst()
  return row?.n ?? 0
}

/** Held events are handled again, in their order. */
export async function releaseHeld(db: Executor, askId: AskId, at: string): Promise<void> {
  await db
    .updateTable('chat_inbox')
    .set({ status: 'waiting', ask_id: null, attempts: 0, next_at: at })
    .where('ask_id', '=', askId)
    .where('status', '=', 'held')
    .execute()
}

export async function dropHeld(db: Executor, askId: AskId, at: string): Promise<void> {
  await db
    .updateTable('chat_inbox')
    .set({ status: 'ignored', body: nothing, done_at: at })
    .where('ask_id', '=', askId)
    .where('status', '=', 'held')
    .execute()
}

/** Asks that events wait for, although they are no longer open. */
export async function answeredHolds(db: Executor): Promise<AskId[]> {
  const rows = await db
    .selectFrom('chat_inbox')
    .leftJoin('asks', 'asks.id', 'chat_inbox.ask_id')
    .select('chat_inbox.ask_id as id')
    .distinct()
    .where('chat_inbox.status', '=', 'held')
    .where((eb) => eb.or([eb('asks.status', '!=', 'open'), eb('asks.id', 'is', null)]))
    .execute()
  return rows.flatMap(({ id }) => id ?? [])
}
