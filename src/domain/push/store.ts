import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { UserId } from '../user/id.ts'
import type { PushFacts } from './decide.ts'
import { usualSettings, type NotificationSettings, type PushChange, type PushCommand } from './schema.ts'
import type { PushTables } from './table.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import type { QuietHours } from './quiet-hours.ts'
import type { PushDeviceId } from './id.ts'
import type { Addressee, KeyPair, PushTarget } from './records.ts'

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

export async function loadKeys(db: Executor): Promise<KeyPair | null> {
  const row = await db.selectFrom('push_keys').selectAll().where('id', '=', 1).executeTakeFirst()
  return row ? { publicKey: row.public_key, privateKey: row.private_key } : null
}

/** Several nodes may make a pair at once; all use the first one stored. */
export async function keepKeys(db: Executor, made: KeyPair, at: string): Promise<KeyPair> {
  await db
    .insertInto('push_keys')
    .values({ id: 1, public_key: made.publicKey, private_key: made.privateKey, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return (await loadKeys(db)) ?? made
}

/** People with a device, unless they were removed or the device's login has ended. */
const addressees = prepare<{ now: string }>()((db, slots) =>
  db
    .selectFrom('push_devices')
    .innerJoin('users', 'users.id', 'push_devices.user_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'push_devices.user_id')
    .select([
      'push_devices.id',
      'push_devices.user_id',
      'push_devices.origin',
      'settings.needs_you',
      'settings.done',
      'settings.quiet_hours',
    ])
    .leftJoin('logins', 'logins.cookie_hash', 'push_devices.login_hash')
    .where('users.removed_at', 'is', null)
    .where((eb) => eb.or([eb('login_hash', 'is', null), eb('logins.expires_at', '>', slots.now)]))
    .orderBy('push_devices.id'),
)

export async function listAddressees(db: Executor, now: string): Promise<Addressee[]> {
  const rows = await addressees(db, { now })
  return [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, own]) => ({
    userId,
    settings: settingsOf(own[0]),
    destinations: own.map((row) => ({ destination: row.id, lane: row.origin })),
  }))
}

type SettingsColumns = { needs_you: number | null; done: number | null; quiet_hours: string | null }
function settingsOf(row: SettingsColumns | undefined) {
  if (!row || row.needs_you === null || row.done === null) return usualSettings
  return toSettings({ needs_you: row.needs_you, done: row.done, quiet_hours: row.quiet_hours })
}

export async function findTarget(db: Executor, userId: UserId, id: PushDeviceId): Promise<PushTarget | null> {
  const row = await db
    .selectFrom('push_devices')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row ? toTarget(row) : null
}

const toTarget = ({ id, user_id, endpoint, origin, p256dh, auth }: PushTables['push_devices']): PushTarget => ({
  deviceId: id,
  userId: user_id,
  endpoint,
  origin,
  keys: { p256dh, auth },
})

export async function findDevice(
  db: Executor,
  id: PushDeviceId,
): Promise<(PushTarget & { settings: NotificationSettings }) | null> {
  const row = await db.selectFrom('push_devices').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? { ...toTarget(row), settings: await loadSettings(db, row.user_id) } : null
}

export async function noteDevice(db: Executor, id: PushDeviceId, error: string | null, at: string): Promise<void> {
  await db
    .updateTable('push_devices')
    .set({ last_error: error, ...(error === null && { last_seen_at: at }) })
    .where('id', '=', id)
    .execute()
}
