import { sql } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { SessionId } from './id.ts'

/** What changes whether an agent is at work: its session, its phase, and its turns. */
const moves = /^session\.(status_changed|phase_changed)$|^queue\.(sent|delivered)$/

/** Stored with its status by the same command, and no container yet. */
const isInserted = (body: unknown): boolean => typeof body === 'object' && body !== null && 'inserted' in body

/** Keeps `container_status` true: written with whatever changes it, so that no restart can leave it wrong. */
export async function setContainerStatus(
  tx: Tx,
  { type, data, body }: { type: string; data: Readonly<Record<string, unknown>>; body?: unknown },
): Promise<void> {
  if (!moves.test(type) || isInserted(body)) return
  const id = data['sessionId'] ?? data['id']
  await tx
    .updateTable('sessions')
    .set({
      container_status: sql`case
        when status not in ('created', 'active', 'paused') or agent_phase <> 'awake' then 'stopped'
        when status = 'created' or exists (select 1 from queue_items
          where queue_items.session_id = sessions.id and queue_items.status = 'sent') then 'running'
        else 'idle' end`,
    })
    .where('id', '=', id as SessionId)
    .where(sql<boolean>`isolation = 'container'`)
    .execute()
}
