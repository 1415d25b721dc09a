import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import { newId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { PushDeviceId } from './id.ts'
import type { Addressee, KeyPair, NewSend, Send, SendId, Settled, Subject, SubjectKind, Target } from './records.ts'
import { usualSettings } from './schema.ts'
import { toSettings } from './store.ts'

const mostAtOnce = 500

export async function loadKeys(db: Executor): Promise<KeyPair | null> {
  const row = await db.selectFrom('push_keys').selectAll().where('id', '=', 1).executeTakeFirst()
  return row ? { publicKey: row.public_key, privateKey: row.private_key } : null
}

/** Several nodes may make a pair at once; all take the one that was first. */
export async function keepKeys(db: Executor, made: KeyPair, at: string): Promise<KeyPair> {
  await db
    .insertInto('push_keys')
    .values({ id: 1, public_key: made.publicKey, private_key: made.privateKey, created_at: at })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
  return (await loadKeys(db)) ?? made
}

/** People who are still here and have a device; not where the login it was added with is over. */
export async function listAddressees(db: Executor, now: string): Promise<Addressee[]> {
  const rows = await db
    .selectFrom('push_devices')
    .innerJoin('users', 'users.id', 'push_devices.user_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'push_devices.user_id')
    .select(['push_devices.id', 'push_devices.user_id', 'settings.needs_you', 'settings.done', 'settings.quiet_hours'])
    .leftJoin('logins', 'logins.cookie_hash', 'push_devices.login_hash')
    .where('users.removed_at', 'is', null)
    .where((eb) => eb.or([eb('login_hash', 'is', null), eb('logins.expires_at', '>', now)]))
    .orderBy('push_devices.id')
    .execute()
  return [...Map.groupBy(rows, (row) => row.user_id)].map(([userId, own]) => ({
    userId,
    settings: settingsOf(own[0]),
    devices: own.map((row) => row.id),
  }))
}

type SettingsColumns = { needs_you: number | null; done: number | null; quiet_hours: string | null }
function settingsOf(row: SettingsColumns | undefined) {
  if (!row || row.needs_you === null || row.done === null) return usualSettings
  return toSettings({ needs_you: row.needs_you, done: row.done, quiet_hours: row.quiet_hours })
}

export async function findTarget(db: Executor, userId: UserId, id: PushDeviceId): Promise<Target | null> {
  const row = await db
    .selectFrom('push_devices')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return null
  const { endpoint, origin, p256dh, auth } = row
  return { deviceId: row.id, userId, endpoint, origin, keys: { p256dh, auth } }
}

export async function addSends(db: Executor, sends: readonly NewSend[]): Promise<void> {
  const rows = sends.map(({ eventId, deviceId, type, subject, at }) => ({
    id: newId<SendId>(),
    event_id: eventId,
    device_id: deviceId,
    type,
    subject_kind: subject.kind,
    subject_id: subject.id,
    session_id: subject.sessionId,
    status: 'waiting' as const,
    attempts: 0,
    next_at: at,
    created_at: at,
  }))
  // A statement holds only so many values.
  for (let from = 0; from < rows.length; from += mostAtOnce)
    await db
      .insertInto('push_sends')
      .values(rows.slice(from, from + mostAtOnce))
      .onConflict((conflict) => conflict.columns(['event_id', 'device_id']).doNothing())
      .execute()
}

export async function toldDevices(
  db: Executor,
  kind: SubjectKind,
  about: { id: string } | { sessionId: SessionId },
): Promise<(Subject & { deviceId: PushDeviceId })[]> {
  const rows = await db
    .selectFrom('push_sends')
    .select(['subject_id', 'session_id', 'device_id'])
    .distinct()
    .where('type', '=', 'needs_you')
    .where('subject_kind', '=', kind)
    // One that is under way may have arrived.
    .where((eb) => eb.or([eb('status', '=', 'sent'), eb.and([eb('status', '=', 'waiting'), eb('attempts', '>', 0)])]))
    .where((eb) => ('id' in about ? eb('subject_id', '=', about.id) : eb('session_id', '=', about.sessionId)))
    .execute()
  return rows.map((row) => ({ kind, id: row.subject_id, sessionId: row.session_id, deviceId: row.device_id }))
}

export async function dueSends(
  db: Executor,
  now: string,
  except: { devices: readonly PushDeviceId[]; origins: readonly string[] },
): Promise<Send[]> {
  let query = db
    .selectFrom('push_sends')
    .innerJoin('push_devices as device', 'device.id', 'push_sends.device_id')
    .leftJoin('notification_settings as settings', 'settings.user_id', 'device.user_id')
    .select([
      'push_sends.id',
      'push_sends.type',
      'push_sends.subject_kind',
      'push_sends.subject_id',
      'push_sends.session_id',
      'push_sends.attempts',
      'push_sends.created_at',
      'push_sends.device_id',
      'device.user_id',
      'device.endpoint',
      'device.origin',
      'device.p256dh',
      'device.auth',
      'settings.needs_you',
      'settings.done',
      'settings.quiet_hours',
    ])
    .where('push_sends.status', '=', 'waiting')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('taken_until', 'is', null), eb('taken_until', '<=', now)]))
    // One after the other: what came later must not overtake what another node is sending now.
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('push_sends as flying')
            .select('flying.id')
            .whereRef('flying.device_id', '=', 'push_sends.device_id')
            .where('flying.status', '=', 'waiting')
            .where('flying.taken_until', '>', now),
        ),
      ),
    )
    .orderBy('next_at')
    .orderBy('push_sends.id')
    .limit(mostAtOnce)
  if (except.devices.length > 0) query = query.where('push_sends.device_id', 'not in', except.devices)
  if (except.origins.length > 0) query = query.where('device.origin', 'not in', except.origins)
  const rows = await query.execute()
  const first = new Map(rows.toReversed().map((row) => [row.device_id, row]))
  return rows
    .filter((row) => first.get(row.device_id) === row)
    .map((row) => ({
      id: row.id,
      type: row.type,
      subject: { kind: row.subject_kind, id: row.subject_id, sessionId: row.session_id },
      attempts: row.attempts,
      createdAt: row.created_at,
      deviceId: row.device_id,
      userId: row.user_id,
      endpoint: row.endpoint,
      origin: row.origin,
      keys: { p256dh: row.p256dh, auth: row.auth },
      settings: settingsOf(row),
    }))
}

export async function nextSendAt(db: Executor): Promise<string | null> {
  // What somebody sends now is looked at again when they should be done with it.
  const free = sql<string>`case when taken_until > next_at then taken_until else next_at end`
  const row = await db
    .selectFrom('push_sends')
    .select((eb) => eb.fn.min(free).as('at'))
    .where('status', '=', 'waiting')
    .executeTakeFirst()
  return row?.at ?? null
}

/** Compare-and-set: of several nodes one sends it. */
export async function takeSend(db: Executor, id: SendId, node: string, now: string, until: string): Promise<boolean> {
  const taken = await db
    .updateTable('push_sends')
    .set((eb) => ({ taken_by: node, taken_until: until, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', 'waiting')
    .where((eb) => eb.or([eb('taken_until', 'is', null), eb('taken_until', '<=', now)]))
    .returning('id')
    .execute()
  return taken.length === 1
}

export async function settleSend(db: Executor, id: SendId, settled: Settled, at: string): Promise<void> {
  const over = settled.status !== 'waiting'
  await db
    .updateTable('push_sends')
    .set({
      status: settled.status,
      taken_by: null,
      taken_until: null,
      error: 'error' in settled ? settled.error : null,
      settled_at: over ? at : null,
      ...(settled.status === 'waiting' && { next_at: settled.nextAt }),
    })
    .where('id', '=', id)
    .execute()
}

export async function noteDevice(db: Executor, id: PushDeviceId, error: string | null, at: string): Promise<void> {
  await db
    .updateTable('push_devices')
    .set({ last_error: error, ...(error === null && { last_seen_at: at }) })
    .where('id', '=', id)
    .execute()
}

export async function releaseTaken(db: Executor, node: string): Promise<void> {
  await db
    .updateTable('push_sends')
    .set({ taken_by: null, taken_until: null })
    .where('taken_by', '=', node)
    .where('status', '=', 'waiting')
    .execute()
}

export async function forgetSends(db: Executor, before: string): Promise<void> {
  await db.deleteFrom('push_sends').where('settled_at', '<', before).execute()
}
