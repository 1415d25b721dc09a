import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { AskId } from '../ask/id.ts'
import type { SessionId } from './id.ts'
import type { Allowance, SessionOwnChange } from './schema.ts'

type AllowanceChange = Extract<SessionOwnChange, { type: 'session.allowed' | 'session.disallowed' }>

export async function projectAllowance(tx: Tx, change: AllowanceChange, at: string): Promise<void> {
  if (change.type === 'session.disallowed') {
    const { allowanceId, by } = change.data
    await tx
      .updateTable('session_allowances')
      .set({ revoked_by: by, revoked_at: at })
      .where('id', '=', allowanceId)
      .where('revoked_at', 'is', null)
      .execute()
    return
  }
  const { id, allowanceId, what, risk, by } = change.data
  await tx
    .insertInto('session_allowances')
    .values({
      id: allowanceId,
      session_id: id,
      ask_key: change.body.key,
      what,
      risk,
      given_by: by,
      given_at: at,
      revoked_by: null,
      revoked_at: null,
    })
    .execute()
}

const inForce = prepare<{ id: SessionId; key: string }>()((db, slots) =>
  db
    .selectFrom('session_allowances')
    .select(['id', 'risk'])
    .where('session_id', '=', slots.id)
    .where('ask_key', '=', slots.key)
    .where('revoked_at', 'is', null),
)
/** What people allowed for this session, by what it covers. */
export const findAllowances = (db: Executor, id: SessionId, key: string) => inForce(db, { id, key })

export async function listAllowances(db: Executor, id: SessionId): Promise<Allowance[]> {
  const rows = await db
    .selectFrom('session_allowances')
    .selectAll()
    .where('session_id', '=', id)
    .orderBy('given_at', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    what: row.what,
    risk: row.risk,
    by: row.given_by,
    at: row.given_at,
    revokedBy: row.revoked_by,
    revokedAt: row.revoked_at,
  }))
}

export async function loadAllowance(db: Executor, sessionId: SessionId, id: AskId) {
  return db
    .selectFrom('session_allowances')
    .select(['id', 'revoked_at as revokedAt'])
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .executeTakeFirst()
}
