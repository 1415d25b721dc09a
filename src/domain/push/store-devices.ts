import type { Executor } from '../../db/open.ts'
import type { UserId } from '../user/id.ts'
import type { PushDeviceId } from './id.ts'
import type { Addressee, KeyPair, PushTarget } from './records.ts'
import { usualSettings, type NotificationSettings } from './schema.ts'
import { loadSettings, toSettings } from './store.ts'
import type { PushTables } from './table.ts'

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
export async function listAddressees(db: Executor, now: string): Promise<Addressee[]> {
  const rows = await db
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
    .where((eb) => eb.or([eb('login_hash', 'is', null), eb('logins.expires_at', '>', now)]))
    .orderBy('push_devices.id')
    .execute()
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
