import { sql } from 'kysely'
import { firstOwner } from '../../domain/user/query.ts'
import type { UserId } from '../../domain/user/id.ts'
import { holderOf } from '../../domain/user/store.ts'
import { idFor, identityOf, timeOr } from './convert.ts'
import type { SeedRow } from './rows.ts'
import { missing, type Work } from './work.ts'

/** Each user becomes a person with that identity, unless somebody has it already. */
export async function importPeople(work: Work): Promise<void> {
  const { tx, seed, tally, now, people } = work
  for (const user of seed.users) {
    const identity = identityOf(user.id, user.kind)
    if (identity === null) {
      tally.leftOut('users', user.id, 'its id does not look like slack:U123 or email:ann@example.org')
      continue
    }
    const holder = await holderOf(tx, [identity])
    const id = holder ?? idFor<UserId>('users', user.id)
    people.set(user.id, id)
    if (holder === null) await createPerson(work, id, identity, user)
    tally.imported('users', holder === null)
  }
  const owner = await firstOwner(tx)
  for (const role of seed.user_roles) await importRole(work, role, owner !== undefined)
  for (const { user_id, agent_group_id, added_by, added_at } of seed.agent_group_members) {
    const [person, group] = [people.get(user_id), work.groups.get(agent_group_id)]
    const name = `${user_id} in ${agent_group_id}`
    if (!person) tally.leftOut('agent_group_members', name, missing('person', user_id))
    else if (!group) tally.leftOut('agent_group_members', name, missing('agent group', agent_group_id))
    else {
      const member = { user_id: person, agent_group_id: group, added_by: people.get(added_by ?? '') ?? null }
      const added = await tx
        .insertInto('agent_group_members')
        .values({ ...member, added_at: timeOr(added_at, now) })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .execute()
      tally.imported('agent_group_members', added.length > 0)
    }
  }
}

async function createPerson(
  { tx, now }: Work,
  id: UserId,
  identity: string,
  { display_name, created_at }: SeedRow<'users'>,
): Promise<void> {
  const at = timeOr(created_at, now)
  const name = display_name?.trim().slice(0, 200) || identity
  // It exists if its identity was unlinked since the last import.
  await tx
    .insertInto('users')
    .values({ id, kind: 'person', display_name: name, created_at: at, removed_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx.insertInto('user_identities').values({ identity, user_id: id, linked_at: at }).execute()
}

async function importRole({ tx, tally, now, people, groups }: Work, row: SeedRow<'user_roles'>, hasOwner: boolean) {
  const { user_id, role, agent_group_id, granted_by, granted_at } = row
  const name = `${role} ${user_id}`
  const person = people.get(user_id)
  const group = agent_group_id === null ? null : groups.get(agent_group_id)
  if (!person) return tally.leftOut('user_roles', name, missing('person', user_id))
  if (group === undefined) return tally.leftOut('user_roles', name, missing('agent group', agent_group_id ?? ''))
  if (role !== 'owner' && role !== 'admin') return tally.leftOut('user_roles', name, 'no such role here')
  if (role === 'owner' && group !== null)
    return tally.leftOut('user_roles', name, 'an owner role cannot be limited to an agent group')
  const held = await tx
    .selectFrom('user_roles')
    .select('role')
    .where('user_id', '=', person)
    .where('role', '=', role)
    .where(sql<boolean>`coalesce(agent_group_id, '') = ${group ?? ''}`)
    .execute()
  if (held.length === 0)
    await tx
      .insertInto('user_roles')
      .values({
        user_id: person,
        role,
        agent_group_id: group,
        granted_by: people.get(granted_by ?? '') ?? null,
        // The local command line acts for the owner who was first: an import must not change who that is.
        granted_at: role === 'owner' && hasOwner ? now : timeOr(granted_at, now),
      })
      .execute()
  return tally.imported('user_roles', held.length === 0)
}
