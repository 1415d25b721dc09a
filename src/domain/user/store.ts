import { sql } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import { remembered } from '../../db/remembered.ts'
import { personOf, type Actor, type Holdings, type Standing } from './actor.ts'
import type { Grant, UserState } from './decide.ts'
import type { AgentGroupId, UserId } from './id.ts'
import type { Role, UserChange } from './schema.ts'

const standing = remembered(
  prepare<{ id: UserId }>()((db, slots) =>
    db
      .selectFrom('users')
      .leftJoin('user_roles', 'user_roles.user_id', 'users.id')
      .select(['users.removed_at as removedAt', 'user_roles.role', 'user_roles.agent_group_id as agentGroupId'])
      .where('users.id', '=', slots.id),
  ),
)
const memberships = remembered(
  prepare<{ id: UserId }>()((db, slots) =>
    db.selectFrom('agent_group_members').select('agent_group_id').where('user_id', '=', slots.id),
  ),
)

const grantsOf = (rows: readonly { role: Role | null; agentGroupId: AgentGroupId | null }[]): Grant[] =>
  rows.flatMap(({ role, agentGroupId }) => (role === null ? [] : [{ role, agentGroupId }]))

export async function loadStanding(db: Executor, actor: Actor): Promise<Standing> {
  const id = personOf(actor)
  if (id === null) return { actor, grants: [], memberOf: [], unknown: false }
  const held = await loadHoldings(db, id)
  if (held === null) return { actor, grants: [], memberOf: [], unknown: true }
  // Agents have no roles of their own.
  if (actor.kind === 'agent') return { actor, grants: [], memberOf: [], behind: held, unknown: false }
  return { actor, ...held, unknown: false }
}

/** The roles and groups of a person; null if they do not exist. */
export async function loadHoldings(db: Executor, id: UserId): Promise<Holdings | null> {
  const rows = await standing(db, { id })
  const [first] = rows
  if (first === undefined || first.removedAt !== null) return null
  const groups = await memberships(db, { id })
  return { grants: grantsOf(rows), memberOf: groups.map((row) => row.agent_group_id) }
}

/** The names of the owners, who can grant missing roles. */
export async function ownerNames(db: Executor): Promise<string[]> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select('users.display_name as name')
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .orderBy('granted_at')
    .limit(5)
    .execute()
  return rows.map(({ name }) => name)
}

export async function loadUser(db: Executor, id: UserId): Promise<UserState | undefined> {
  const rows = await standing(db, { id })
  const [first] = rows
  if (first === undefined) return undefined
  const groups = await memberships(db, { id })
  const identities = await db.selectFrom('user_identities').select('identity').where('user_id', '=', id).execute()
  return {
    id,
    removed: first.removedAt !== null,
    grants: grantsOf(rows),
    memberOf: groups.map((row) => row.agent_group_id),
    identities: identities.map((row) => row.identity),
  }
}

export async function countOwners(db: Executor): Promise<number> {
  const row = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row?.n ?? 0
}

export async function holderOf(db: Executor, identities: readonly string[]): Promise<UserId | null> {
  if (identities.length === 0) return null
  const row = await db
    .selectFrom('user_identities')
    .select('user_id')
    .where('identity', 'in', identities)
    .executeTakeFirst()
  return row?.user_id ?? null
}

export async function groupExists(db: Executor, id: AgentGroupId | null): Promise<boolean> {
  if (id === null) return false
  return (await db.selectFrom('agent_groups').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

export async function loadOffer(db: Executor, codeHash: string, now: string) {
  const row = await db
    .selectFrom('identity_offers')
    .innerJoin('users', 'users.id', 'identity_offers.user_id')
    .select(['user_id', 'expires_at', 'used_at'])
    .where('code_hash', '=', codeHash)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  return row && { userId: row.user_id, expired: row.expires_at <= now, used: row.used_at !== null }
}

export async function loadCode(db: Executor, codeHash: string, now: string) {
  const row = await db.selectFrom('identity_codes').selectAll().where('code_hash', '=', codeHash).executeTakeFirst()
  return row && { identity: row.identity, expired: row.expires_at <= now, used: row.used_at !== null }
}

export async function projectUser(tx: Tx, change: UserChange, at: string): Promise<void> {
  switch (change.type) {
    case 'user.created':
      await tx
        .insertInto('users')
        .values({
          id: change.data.id,
          kind: 'person',
          display_name: change.body.displayName,
          created_at: at,
          removed_at: null,
        })
        .execute()
      return
    case 'user.renamed':
      await tx
        .updateTable('users')
        .set({ display_name: change.body.displayName })
        .where('id', '=', change.data.id)
        .execute()
      return
    case 'user.removed': {
      const { id } = change.data
      await tx.updateTable('users').set({ removed_at: at }).where('id', '=', id).execute()
      await tx
        .updateTable('tokens')
        .set({ revoked_at: at })
        .where('user_id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
      await tx
        .updateTable('logins')
        .set({ ended_at: at })
        .where('user_id', '=', id)
        .where('ended_at', 'is', null)
        .execute()
      await tx.deleteFrom('push_devices').where('user_id', '=', id).execute()
      return
    }
    case 'identity.linked': {
      const { identity, userId } = change.data
      await tx.insertInto('user_identities').values({ identity, user_id: userId, linked_at: at }).execute()
      return
    }
    case 'identity.unlinked':
      await tx.deleteFrom('user_identities').where('identity', '=', change.data.identity).execute()
      return
    case 'identity.offered': {
      const { userId, expiresAt } = change.data
      await tx
        .insertInto('identity_offers')
        .values({ code_hash: change.body.codeHash, user_id: userId, expires_at: expiresAt, used_at: null })
        .execute()
      return
    }
    case 'identity.coded': {
      const { identity, expiresAt } = change.data
      // Only the last code of an identity is valid.
      await tx.deleteFrom('identity_codes').where('identity', '=', identity).where('used_at', 'is', null).execute()
      await tx
        .insertInto('identity_codes')
        .values({ code_hash: change.body.codeHash, identity, expires_at: expiresAt, used_at: null })
        .execute()
      return
    }
    case 'identity.claimed':
      for (const table of ['identity_offers', 'identity_codes'] as const)
        await tx.updateTable(table).set({ used_at: at }).where('code_hash', '=', change.body.codeHash).execute()
      return
    case 'role.granted': {
      const { userId, role, agentGroupId, by } = change.data
      await tx
        .insertInto('user_roles')
        .values({ user_id: userId, role, agent_group_id: agentGroupId, granted_by: by, granted_at: at })
        .execute()
      return
    }
    case 'role.revoked': {
      const { userId, role, agentGroupId } = change.data
      await tx
        .deleteFrom('user_roles')
        .where('user_id', '=', userId)
        .where('role', '=', role)
        .where(sql<boolean>`coalesce(agent_group_id, '') = ${agentGroupId ?? ''}`)
        .execute()
      return
    }
    case 'member.added': {
      const { userId, agentGroupId, by } = change.data
      await tx
        .insertInto('agent_group_members')
        .values({ user_id: userId, agent_group_id: agentGroupId, added_by: by, added_at: at })
        .execute()
      return
    }
    case 'member.removed':
      await tx
        .deleteFrom('agent_group_members')
        .where('user_id', '=', change.data.userId)
        .where('agent_group_id', '=', change.data.agentGroupId)
        .execute()
      return
    default:
      change satisfies never
  }
}

/** The ids among these that belong to no active person. */
export async function strangers(db: Executor, ids: readonly UserId[]): Promise<UserId[]> {
  const unknown: UserId[] = []
  for (const id of ids) {
    const found = await loadUser(db, id)
    if (!found || found.removed) unknown.push(id)
  }
  return unknown
}
