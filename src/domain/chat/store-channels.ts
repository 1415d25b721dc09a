import type { Executor } from '../../db/open.ts'
import type { MessagingGroupId } from './id.ts'

/** Chats with this id of their platform that an instance is connected to. */
export async function chatsNamed(db: Executor, platformId: string): Promise<MessagingGroupId[]> {
  const rows = await db
    .selectFrom('messaging_groups')
    .select('id')
    .where('platform_id', '=', platformId)
    .where('removed_at', 'is', null)
    .where('instance_id', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}
