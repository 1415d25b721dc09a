import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { SessionId } from '../session/id.ts'
import type { Actor } from './actor.ts'
import type { AccessState } from './decide-access.ts'
import type { TokenId, UserId } from './id.ts'
import type { AccessChange, AccessCommand } from './schema.ts'

const user = prepare<{ id: UserId }>()((db, slots) =>
  db.selectFrom('users').select(['id', 'removed_at']).where('id', '=', slots.id),
)

export async function loadAccess(db: Executor, command: AccessCommand, now: string): Promise<AccessState> {
  const state: AccessState = { now, token: undefined, user: undefined, link: undefined, cookie: undefined }
  switch (command.type) {
    case 'token.create':
    case 'login.offer': {
      const row = (await user(db, { id: command.userId }))[0]
      if (row) state.user = { id: row.id, removed: row.removed_at !== null }
      if (command.type === 'token.create') state.token = await loadToken(db, command.id)
      return state
    }
    case 'token.revoke':
    case 'token.touch':
      return { ...state, token: await loadToken(db, command.id) }
    case 'login.redeem': {
      const row = await db
        .selectFrom('login_links')
        .innerJoin('users', 'users.id', 'login_links.user_id')
        .select(['user_id', 'display_name', 'expires_at', 'used_at', 'removed_at'])
        .where('hash', '=', command.linkHash)
        .executeTakeFirst()
      if (!row || row.removed_at !== null) return state
      const [expired, used] = [row.expires_at <= now, row.used_at !== null]
      return { ...state, link: { userId: row.user_id, displayName: row.display_name, expired, used } }
    }
    case 'login.end': {
      const row = await db
        .selectFrom('logins')
        .selectAll()
        .where('cookie_hash', '=', command.cookieHash)
        .executeTakeFirst()
      return { ...state, cookie: row && { userId: row.user_id, ended: row.ended_at !== null } }
    }
    default:
      return command satisfies never
  }
}

async function loadToken(db: Executor, id: TokenId): Promise<AccessState['token']> {
  const row = await db
    .selectFrom('tokens')
    .select(['id', 'user_id', 'revoked_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { id: row.id, userId: row.user_id, revoked: row.revoked_at !== null }
}

/** The session a token is bound to, if any. */
export async function sessionOfToken(db: Executor, id: TokenId): Promise<SessionId | null> {
  const row = await db.selectFrom('tokens').select('session_id').where('id', '=', id).executeTakeFirst()
  return row?.session_id ?? null
}

/** The sessions among these with a valid token bound to them. */
export async function sessionsWithToken(db: Executor, ids: readonly SessionId[], now: string): Promise<SessionId[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('tokens')
    .select('session_id')
    .distinct()
    .where('session_id', 'in', ids)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute()
  return rows.flatMap(({ session_id }) => session_id ?? [])
}

export async function projectAccess(tx: Tx, change: AccessChange, at: string): Promise<void> {
  switch (change.type) {
    case 'token.created': {
      const { id, userId, scope, sessionId, expiresAt } = change.data
      await tx
        .insertInto('tokens')
        .values({
          id,
          user_id: userId,
          name: change.body.name,
          hash: change.body.hash,
          scope,
          session_id: sessionId,
          created_at: at,
          expires_at: expiresAt,
          last_used_at: null,
          revoked_at: null,
        })
        .execute()
      return
    }
    case 'token.revoked':
      await tx.updateTable('tokens').set({ revoked_at: at }).where('id', '=', change.data.id).execute()
      return
    case 'token.touched':
      await tx.updateTable('tokens').set({ last_used_at: at }).where('id', '=', change.data.id).execute()
      return
    case 'login.offered': {
      const { userId, expiresAt } = change.data
      await tx
        .insertInto('login_links')
        .values({ hash: change.body.linkHash, user_id: userId, expires_at: expiresAt, used_at: null })
        .execute()
      return
    }
    case 'login.started': {
      const { userId, expiresAt } = change.data
      const { linkHash } = change.body
      if (linkHash !== null)
        await tx.updateTable('login_links').set({ used_at: at }).where('hash', '=', linkHash).execute()
      await tx
        .insertInto('logins')
        .values({
          cookie_hash: change.body.cookieHash,
          key_hash: change.body.keyHash,
          user_id: userId,
          created_at: at,
          expires_at: expiresAt,
          ended_at: null,
        })
        .execute()
      return
    }
    case 'login.ended':
      await tx.updateTable('logins').set({ ended_at: at }).where('cookie_hash', '=', change.body.cookieHash).execute()
      // Signing out also stops notifications in that browser.
      await tx.deleteFrom('push_devices').where('login_hash', '=', change.body.cookieHash).execute()
      return
    default:
      change satisfies never
  }
}

/** An actor identified by a token or login, and when that expires. */
export type PresentedCredential = {
  actor: Actor
  expiresAt: string | null
  tokenId: TokenId | null
  /** For a login: the SHA-256 of the key that must accompany its cookie; null for logins older than keys. */
  keyHash: string | null
}

export async function findToken(db: Executor, hash: string): Promise<PresentedCredential | undefined> {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .select(['tokens.id', 'tokens.user_id', 'tokens.scope', 'tokens.session_id', 'tokens.expires_at'])
    .where('tokens.hash', '=', hash)
    .where('tokens.revoked_at', 'is', null)
    .where('users.removed_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const actor: Actor =
    row.scope === 'agent'
      ? { kind: 'agent', userId: row.user_id, tokenId: row.id, sessionId: row.session_id }
      : { kind: 'person', userId: row.user_id, scope: row.scope }
  return { actor, expiresAt: row.expires_at, tokenId: row.id, keyHash: null }
}

export async function findLogin(db: Executor, cookieHash: string): Promise<PresentedCredential | undefined> {
  const row = await db
    .selectFrom('logins')
    .innerJoin('users', 'users.id', 'logins.user_id')
    .select(['logins.user_id', 'logins.expires_at', 'logins.key_hash'])
    .where('cookie_hash', '=', cookieHash)
    .where('ended_at', 'is', null)
    .where('users.removed_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const actor: Actor = { kind: 'person', userId: row.user_id, scope: 'full' }
  return { actor, expiresAt: row.expires_at, tokenId: null, keyHash: row.key_hash }
}

/** Whether an unused login link exists: rejects a guess with one read, without a transaction. */
export async function hasLoginLink(db: Executor, linkHash: string): Promise<boolean> {
  const unused = db.selectFrom('login_links').select('hash').where('hash', '=', linkHash).where('used_at', 'is', null)
  return (await unused.executeTakeFirst()) !== undefined
}

/** Deletes login links, identity codes and logins that expired before this time. */
export async function forgetExpiredAccess(tx: Tx, before: string): Promise<void> {
  for (const table of ['login_links', 'identity_offers', 'identity_codes', 'logins'] as const)
    await tx.deleteFrom(table).where('expires_at', '<', before).execute()
}
