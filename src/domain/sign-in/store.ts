import type { Executor, Tx } from '../../db/open.ts'
import type { UserId } from '../user/id.ts'
import type { SignInState } from './decide.ts'
import type { PasskeyId } from './id.ts'
import type { DeviceLogin, Passkey, SignInChange, SignInCommand } from './schema.ts'

export async function loadSignIn(db: Executor, command: SignInCommand, now: string): Promise<SignInState> {
  const state: SignInState = { now, user: undefined, passkey: undefined, challenge: undefined, device: undefined }
  if ('userId' in command) state.user = await loadPerson(db, command.userId)
  if ('challengeHash' in command) state.challenge = await loadChallenge(db, command.challengeHash, now)
  if (command.type === 'passkey.rename' || command.type === 'passkey.remove')
    state.passkey = await loadPasskey(db, 'id', command.id)
  if ('credentialId' in command) state.passkey = await loadPasskey(db, 'credential_id', command.credentialId)
  if (command.type === 'device.sign_in') state.device = await loadDevice(db, 'request_hash', command.requestHash, now)
  else if ('codeHash' in command) state.device = await loadDevice(db, 'code_hash', command.codeHash, now)
  return state
}

async function loadPerson(db: Executor, id: UserId): Promise<SignInState['user']> {
  const row = await db.selectFrom('users').select(['id', 'removed_at']).where('id', '=', id).executeTakeFirst()
  if (!row) return undefined
  const { count } = await db
    .selectFrom('passkeys')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('user_id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return { id: row.id, removed: row.removed_at !== null, passkeys: Number(count) }
}

async function loadChallenge(db: Executor, hash: string, now: string): Promise<SignInState['challenge']> {
  const row = await db.selectFrom('passkey_challenges').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row && { userId: row.user_id, expired: row.expires_at <= now, used: row.used_at !== null }
}

async function loadPasskey(db: Executor, by: 'id' | 'credential_id', value: string): Promise<SignInState['passkey']> {
  const row = await db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id', 'user_id', 'passkeys.removed_at', 'users.removed_at as person_removed_at', 'sign_count'])
    .where(`passkeys.${by}`, '=', value as PasskeyId)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      removed: row.removed_at !== null,
      ofRemoved: row.person_removed_at !== null,
      signCount: row.sign_count,
    }
  )
}

async function loadDevice(
  db: Executor,
  by: 'request_hash' | 'code_hash',
  value: string,
  now: string,
): Promise<SignInState['device']> {
  const row = await db
    .selectFrom('device_logins')
    .leftJoin('users', 'users.id', 'device_logins.user_id')
    .select(['address', 'browser', 'expires_at', 'user_id', 'outcome', 'used_at', 'removed_at'])
    .where(`device_logins.${by}`, '=', value)
    .executeTakeFirst()
  return (
    row && {
      expired: row.expires_at <= now,
      used: row.used_at !== null,
      outcome: row.outcome,
      userId: row.user_id,
      ofRemoved: row.removed_at !== null,
      address: row.address,
      browser: row.browser,
    }
  )
}

export async function projectSignIn(tx: Tx, change: SignInChange, at: string): Promise<void> {
  const use = (hash: string) =>
    tx.updateTable('passkey_challenges').set({ used_at: at }).where('hash', '=', hash).execute()
  switch (change.type) {
    case 'passkey.added': {
      const { id, userId, origin } = change.data
      const { name, credentialId, publicKey, signCount, challengeHash } = change.body
      await tx
        .insertInto('passkeys')
        .values({
          id,
          user_id: userId,
          name,
          credential_id: credentialId,
          public_key: publicKey,
          origin: origin,
          sign_count: signCount,
          created_at: at,
          last_used_at: null,
          removed_at: null,
        })
        .execute()
      await use(challengeHash)
      return
    }
    case 'passkey.renamed':
      await tx.updateTable('passkeys').set({ name: change.body.name }).where('id', '=', change.data.id).execute()
      return
    case 'passkey.removed':
      await tx.updateTable('passkeys').set({ removed_at: at }).where('id', '=', change.data.id).execute()
      return
    case 'passkey.challenged': {
      const { userId, expiresAt } = change.data
      await tx
        .insertInto('passkey_challenges')
        .values({ hash: change.body.challengeHash, user_id: userId, expires_at: expiresAt, used_at: null })
        .execute()
      return
    }
    case 'passkey.used': {
      const { signCount, challengeHash } = change.body
      const used = { sign_count: signCount, last_used_at: at }
      await tx.updateTable('passkeys').set(used).where('id', '=', change.data.id).execute()
      await use(challengeHash)
      return
    }
    case 'device.asked': {
      const { address, browser, expiresAt } = change.data
      const { requestHash, codeHash } = change.body
      await tx
        .insertInto('device_logins')
        .values({
          request_hash: requestHash,
          code_hash: codeHash,
          address,
          browser,
          created_at: at,
          expires_at: expiresAt,
          user_id: null,
          outcome: null,
          used_at: null,
        })
        .execute()
      return
    }
    case 'device.answered': {
      const { userId, outcome } = change.data
      await tx
        .updateTable('device_logins')
        .set({ user_id: userId, outcome })
        .where('code_hash', '=', change.body.codeHash)
        .execute()
      return
    }
    case 'device.used':
      await tx
        .updateTable('device_logins')
        .set({ used_at: at })
        .where('request_hash', '=', change.body.requestHash)
        .execute()
      return
    default:
      change satisfies never
  }
}

/** The passkeys of a person that still work, oldest first. */
export async function listPasskeys(db: Executor, userId: UserId): Promise<(Passkey & { credentialId: string })[]> {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    origin: row.origin,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    credentialId: row.credential_id,
  }))
}

/** What a signature is checked with. */
export async function findPasskey(
  db: Executor,
  credentialId: string,
): Promise<{ publicKey: string; origin: string } | undefined> {
  const row = await db
    .selectFrom('passkeys')
    .select(['public_key', 'origin'])
    .where('credential_id', '=', credentialId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && { publicKey: row.public_key, origin: row.origin }
}

export async function hasPasskeys(db: Executor): Promise<boolean> {
  const found = await db.selectFrom('passkeys').select('id').where('removed_at', 'is', null).limit(1).executeTakeFirst()
  return found !== undefined
}

/** A device that waits, by the code it shows. */
export async function findWaitingDevice(db: Executor, codeHash: string, now: string): Promise<DeviceLogin | undefined> {
  const row = await db
    .selectFrom('device_logins')
    .selectAll()
    .where('code_hash', '=', codeHash)
    .where('outcome', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && { address: row.address, browser: row.browser, createdAt: row.created_at, expiresAt: row.expires_at }
}

/** The state of a request, for the device that made it. */
export async function deviceState(
  db: Executor,
  requestHash: string,
  now: string,
): Promise<'waiting' | 'approved' | 'denied' | 'over'> {
  const device = await loadDevice(db, 'request_hash', requestHash, now)
  if (!device || device.expired || device.used) return 'over'
  return device.outcome ?? 'waiting'
}

/** Deletes challenges and requests that expired before this time. */
export async function forgetExpiredSignIns(tx: Tx, before: string): Promise<void> {
  for (const table of ['passkey_challenges', 'device_logins'] as const)
    await tx.deleteFrom(table).where('expires_at', '<', before).execute()
}
