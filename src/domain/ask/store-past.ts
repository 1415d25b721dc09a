import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { AskId } from './id.ts'
import type { AskKind } from './subject.ts'

/** Finds an ask by the id an agent was given, if it belongs to its session or its lineage. */
export async function askOfSessions(
  db: Executor,
  id: string,
  sessions: readonly SessionId[],
): Promise<{ id: AskId; kind: AskKind } | null> {
  const row = await db
    .selectFrom('asks')
    .select(['id', 'kind'])
    .where(sql<boolean>`id = ${id}`)
    .where('session_id', 'in', sessions)
    .executeTakeFirst()
  return row ?? null
}

/** Asks whose answer this node is applying, or did not finish applying. */
export async function asksBeingApplied(db: Executor, node: string): Promise<AskId[]> {
  const rows = await db
    .selectFrom('asks')
    .select('id')
    .where('status', '=', 'applying')
    .where('applying_on', '=', node)
    .execute()
  return rows.map(({ id }) => id)
}
