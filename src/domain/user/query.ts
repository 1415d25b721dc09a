import type { Executor } from '../../db/open.ts'
import type { AgentGroupId, UserId } from './id.ts'
import type { Token, User } from './schema.ts'

export async function listUsers(db: Executor, only?: UserId): Promise<User[]> {
  const of = <T extends { user_id: UserId }>(rows: T[]) => Map.groupBy(rows, (row) => row.user_id)
  let users = db.selectFrom('users').selectAll().orderBy('created_at').orderBy('id')
  let identities = db.selectFrom('user_identities').selectAll().orderBy('linked_at')
  let roles = db.selectFrom('user_roles').selectAll().orderBy('granted_at')
  let members = db.selectFrom('agent_group_members').selectAll().orderBy('added_at')
  if (only !== undefined) {
    users = users.where('id', '=', only)
    identities = identities.where('user_id', '=', only)
    roles = roles.where('user_id', '=', only)
    members = members.where('user_id', '=', only)
  }
  const identitiesOf = of(await identities.execute())
  const rolesOf = of(await roles.execute())
  const membersOf = of(await members.execute())
  return (await users.execute()).map((row) => ({
    id: row.id,
    kind: row.kind,
    displayName: row.display_name,
    createdAt: row.created_at,
    removedAt: row.removed_at,
    identities: (identitiesOf.get(row.id) ?? []).map((link) => ({ identity: link.identity, linkedAt: link.linked_at })),
    roles: (rolesOf.get(row.id) ?? []).map((grant) => ({
      role: grant.role,
      agentGroupId: grant.agent_group_id,
      grantedBy: grant.granted_by,
      grantedAt: grant.granted_at,
    })),
    memberOf: (membersOf.get(row.id) ?? []).map((member) => ({
      agentGroupId: member.agent_group_id,
      addedBy: member.added_by,
      addedAt: member.added_at,
    })),
  }))
}

/** Never returns hashes. */
export async function listTokens(db: Executor, only?: UserId): Promise<Token[]> {
  let query = db.selectFrom('tokens').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc')
  if (only !== undefined) query = query.where('user_id', '=', only)
  return (await query.execute()).map((row) => ({
    id: row.id,
    userId: row.user_id,
    name: row.name,
    scope: row.scope,
    sessionId: row.session_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }))
}

/** The person that the local command line and the first login link act for. */
export async function firstOwner(db: Executor): Promise<UserId | undefined> {
  const row = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select('users.id')
    .where('role', '=', 'owner')
    .where('removed_at', 'is', null)
    .orderBy('granted_at')
    .executeTakeFirst()
  return row?.id
}

/** Everyone's display name, including people who left: the log names them too. */
export const listNames = (db: Executor): Promise<{ id: UserId; displayName: string }[]> =>
  db.selectFrom('users').select(['id', 'display_name as displayName']).orderBy('created_at').orderBy('id').execute()

/** The people of an agent group, its admins first. */
export async function listMembers(db: Executor, agentGroupId: AgentGroupId) {
  const admins = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select(['users.id', 'display_name', 'granted_by as by', 'granted_at as at'])
    .where('role', '=', 'admin')
    .where('agent_group_id', '=', agentGroupId)
    .where('removed_at', 'is', null)
    .orderBy('granted_at')
    .execute()
  const members = await db
    .selectFrom('agent_group_members')
    .innerJoin('users', 'users.id', 'agent_group_members.user_id')
    .select(['users.id', 'display_name', 'added_by as by', 'added_at as at'])
    .where('agent_group_id', '=', agentGroupId)
    .where('removed_at', 'is', null)
    .orderBy('added_at')
    .execute()
  const ids = new Set(admins.map(({ id }) => id))
  const as = (role: 'admin' | 'member') => (row: (typeof admins)[number]) => ({
    userId: row.id,
    displayName: row.display_name,
    role,
    addedBy: row.by,
    addedAt: row.at,
  })
  return [...admins.map(as('admin')), ...members.filter(({ id }) => !ids.has(id)).map(as('member'))]
}

/** Who may let people and chats in to an agent group: its admins first, then global admins, then owners. */
export async function approversOf(db: Executor, agentGroupId: AgentGroupId): Promise<UserId[]> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select(['users.id', 'role', 'agent_group_id'])
    .where('removed_at', 'is', null)
    .where('role', 'in', ['owner', 'admin'])
    .where((eb) => eb.or([eb('agent_group_id', 'is', null), eb('agent_group_id', '=', agentGroupId)]))
    .orderBy('granted_at')
    .execute()
  const rank = (row: (typeof rows)[number]) => (row.agent_group_id !== null ? 0 : row.role === 'admin' ? 1 : 2)
  return [...new Set(rows.toSorted((a, b) => rank(a) - rank(b)).map(({ id }) => id))]
}

/** Who may answer for the whole server. */
export async function adminsAndOwners(db: Executor): Promise<UserId[]> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select('users.id')
    .distinct()
    .where('removed_at', 'is', null)
    .where('role', 'in', ['owner', 'admin'])
    .where('agent_group_id', 'is', null)
    .orderBy('users.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Who may answer for an agent group: its admins, global admins, owners. */
export async function circlesOf(
  db: Executor,
  agentGroupId: AgentGroupId,
): Promise<{ group: UserId[]; admins: UserId[]; owners: UserId[] }> {
  return (await circlesOfGroups(db, [agentGroupId])).get(agentGroupId) ?? { group: [], admins: [], owners: [] }
}

export async function circlesOfGroups(
  db: Executor,
  groups: readonly AgentGroupId[],
): Promise<Map<AgentGroupId, { group: UserId[]; admins: UserId[]; owners: UserId[] }>> {
  if (groups.length === 0) return new Map()
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .select(['users.id', 'role', 'agent_group_id'])
    .where('removed_at', 'is', null)
    .where('role', 'in', ['owner', 'admin'])
    .where((eb) => eb.or([eb('agent_group_id', 'is', null), eb('agent_group_id', 'in', groups)]))
    .orderBy('granted_at')
    .execute()
  const those = (fits: (row: (typeof rows)[number]) => boolean) => rows.filter(fits).map(({ id }) => id)
  const admins = those((row) => row.role === 'admin' && row.agent_group_id === null)
  const owners = those((row) => row.role === 'owner')
  return new Map(
    groups.map((id) => [id, { group: those((row) => row.agent_group_id === id), admins, owners }] as const),
  )
}

/** Those who have a role for the whole server or for an agent group, but for the machine right. */
export async function adminsOfAnything(db: Executor): Promise<UserId[]> {
  const rows = await db
    .selectFrom('user_roles')
    .select('user_id')
    .distinct()
    .where('role', 'in', ['owner', 'admin'])
    .execute()
  return rows.map((row) => row.user_id)
}

/** A statement takes a limited number of values. */
const mostAtOnce = 500

/** The identities that these people have on one platform, such as `slack`. */
export async function identitiesOf(
  db: Executor,
  prefix: string,
  among: readonly UserId[],
): Promise<{ userId: UserId; identity: string }[]> {
  const found: { userId: UserId; identity: string }[] = []
  for (let from = 0; from < among.length; from += mostAtOnce)
    found.push(
      ...(await db
        .selectFrom('user_identities')
        .innerJoin('users', 'users.id', 'user_identities.user_id')
        .select(['user_identities.user_id as userId', 'user_identities.identity'])
        .where('user_identities.user_id', 'in', among.slice(from, from + mostAtOnce))
        .where('user_identities.identity', 'like', `${prefix}:%`)
        .where('users.removed_at', 'is', null)
        .orderBy('user_identities.identity')
        .execute()),
    )
  return found
}
