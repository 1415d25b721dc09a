import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { ChatInstanceId, WiringId } from './id.ts'
import type { IncomingMessage } from './records.ts'
import { eventColumn } from './store-inbox.ts'

/** The last message that reached a session. */
export async function lastMessageTo(
  db: Executor,
  sessionId: SessionId,
): Promise<{ instanceId: ChatInstanceId; wiringId: WiringId; message: IncomingMessage } | undefined> {
  const row = await db
    .selectFrom('chat_deliveries')
    .innerJoin('chat_inbox', 'chat_inbox.id', 'chat_deliveries.inbox_id')
    .select(['chat_inbox.instance_id', 'chat_inbox.body', 'chat_deliveries.wiring_id'])
    .where('chat_deliveries.session_id', '=', sessionId)
    .where('chat_deliveries.outcome', '=', 'delivered')
    .orderBy('chat_inbox.seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!row) return undefined
  const event = eventColumn(row.body)
  return event.kind === 'message' ? { instanceId: row.instance_id, wiringId: row.wiring_id, message: event } : undefined
}
