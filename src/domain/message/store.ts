import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { SessionId } from '../session/id.ts'
import type { Message, MessageChange, MessageId, MessageRole } from './schema.ts'

const insert = prepare<{ id: MessageId; sessionId: SessionId; role: MessageRole; content: string; at: string }>()(
  (db, slots) =>
    db.insertInto('messages').values({
      id: slots.id,
      session_id: slots.sessionId,
      role: slots.role,
      content: slots.content,
      timestamp: slots.at,
    }),
)

export async function projectMessage(tx: Tx, change: MessageChange, at: string): Promise<void> {
  const { id, sessionId, role } = change.data
  await insert(tx, { id, sessionId, role, content: JSON.stringify(change.body), at })
}

/** In order of time, then of writing; strictly after `since`, where given. */
export async function listMessages(db: Executor, sessionId: SessionId, since?: string): Promise<Message[]> {
  let query = db.selectFrom('messages').selectAll().where('session_id', '=', sessionId)
  if (since !== undefined) query = query.where('timestamp', '>', since)
  const rows = await query.orderBy('timestamp').orderBy('seq').execute()
  return rows.map((row) => ({
    id: row.id,
    sessionId: row.session_id,
    role: row.role,
    content: JSON.parse(row.content),
    timestamp: row.timestamp,
  }))
}
