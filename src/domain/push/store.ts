import type { Executor, Tx } from '../../db/open.ts'
import type { UserId } from '../user/id.ts'
import type { PushFacts } from './decide.ts'
import { usualSettings, type NotificationSettings, type PushChange, type PushCommand } from './schema.ts'
import type { PushTables } from './table.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import type { QuietHours } from './quiet-hours.ts'

export async function loadPushFacts(db: Executor, command: PushCommand): Promise<PushFacts> {
  if (command.type === 'push.set_settings') return { device: undefined, same: undefined, devices: 0 }
  const devicesQuery = db.selectFrom('push_devices').select(['id', 'user_id as userId'])
  const device = await devicesQuery.where('id', '=', command.id).executeTakeFirst()
  if (command.type === 'push.remove_device') return { device, same: undefined, devices: 0 }
  const same = await devicesQuery.where('endpoint', '=', command.endpoint).executeTakeFirst()
  const count = await db
    .selectFrom('push_devices')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('user_id', '=', command.userId)
    .executeTakeFirst()
  return { device, same, devices: count?.n ?? 0 }
}

export async function loadSettings(db: Executor, userId: UserId): Promise<NotificationSettings> {
  const row = await db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row ? toSettings(row) : usualSettings
}

const quietHoursColumn = jsonColumn('notification_settings.quiet_hours', isTaggedBy<QuietHours>('timeZone'))

type SettingsRow = Pick<PushTables['notification_settings'], 'needs_you' | 'done' | 'quiet_hours'>
export const toSettings = (row: SettingsRow): NotificationSettings => ({
  needsYou: row.needs_you !== 0,
  done: row.done !== 0,
  quietHours: quietHoursColumn(row.quiet_hours),
})

export async function projectPush(tx: Tx, change: PushChange, at: string): Promise<void> {
  switch (change.type) {
    case 'push.device_added': {
      const { id, userId } = change.data
      const { name, endpoint, keys, loginHash } = change.body
      const { origin } = new URL(endpoint)
      await tx
        .insertInto('push_devices')
        .values({ id, user_id: userId, name, endpoint, origin, ...keys, login_hash: loginHash, created_at: at })
        .execute()
      return
    }
    case 'push.device_renewed': {
      const { name, keys, loginHash } = change.body
      await tx
        .updateTable('push_devices')
        .set({ name, ...keys, login_hash: loginHash, last_error: null })
        .where('id', '=', change.data.id)
        .execute()
      return
    }
    case 'push.device_removed':
      await tx.deleteFrom('push_devices').where('id', '=', change.data.id).execute()
      return
    case 'push.settings_changed': {
      const { needsYou, done, quietHours } = change.body
      const row = {
        needs_you: Number(needsYou),
        done: Number(done),
        quiet_hours: quietHours === null ? null : JSON.stringify(quietHours),
      }
      await tx
        .insertInto('notification_settings')
        .values({ user_id: change.data.userId, ...row })
        .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
        .execute()
      return
    }
    default:
      change satisfies never
  }
}
