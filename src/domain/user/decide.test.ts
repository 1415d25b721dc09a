import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { CodeCommand } from './decide-codes.ts'
import { decideUser, isGlobalAdmin, isGlobalOwner, type UserFacts, type UserState } from './decide.ts'
import { Identity, type AgentGroupId, type UserCommand, type UserId } from './schema.ts'

const id = newId<UserId>()
const other = newId<UserId>()
const group = newId<AgentGroupId>()
const facts: UserFacts = { by: other, owners: 2, identityHolder: null, groupExists: true }
const state = (more: Partial<UserState> = {}): UserState => ({
  id,
  removed: false,
  grants: [],
  memberOf: [],
  identities: [],
  ...more,
})
const owner = { role: 'owner' as const, agentGroupId: null }
const admin = { role: 'admin' as const, agentGroupId: null }
const groupAdmin = { role: 'admin' as const, agentGroupId: group }

type Known = Exclude<UserCommand, CodeCommand>
const decided = (user: UserState | undefined, command: Known, more: Partial<UserFacts> = {}) => {
  const result = decideUser(user, command, { ...facts, ...more })
  return result.ok ? result.value.map((change) => change.type) : result.fault.code
}

describe('people', () => {
  it('are created once, with their identities', () => {
    const create: Known = {
      type: 'user.create',
      id,
      displayName: 'Ann',
      identities: ['slack:U1', 'email:ann@example.org'],
    }
    expect(decided(undefined, create)).toEqual(['user.created', 'identity.linked', 'identity.linked'])
    expect(decided(state(), create)).toBe('user_exists')
    expect(decided(undefined, create, { identityHolder: other })).toBe('identity_taken')
  })

  it('leave with their identities and roles, but never the last owner', () => {
    const remove: Known = { type: 'user.remove', id }
    const user = state({ identities: ['slack:U1'], grants: [owner, groupAdmin] })
    expect(decided(user, remove)).toEqual(['identity.unlinked', 'role.revoked', 'role.revoked', 'user.removed'])
    expect(decided(user, remove, { owners: 1 })).toBe('last_owner')
    expect(decided(state({ grants: [admin] }), remove, { owners: 1 })).toEqual(['role.revoked', 'user.removed'])
  })

  const others: Known[] = [
    { type: 'user.rename', id, displayName: 'Bea' },
    { type: 'user.remove', id },
    { type: 'identity.link', userId: id, identity: 'slack:U1' },
    { type: 'identity.unlink', userId: id, identity: 'slack:U1' },
    { type: 'role.grant', userId: id, ...admin },
    { type: 'role.revoke', userId: id, ...admin },
    { type: 'member.add', userId: id, agentGroupId: group },
    { type: 'member.remove', userId: id, agentGroupId: group },
  ]
  it.each(others)('who were removed or never existed: $type', (command) => {
    expect(decided(undefined, command)).toBe('user_not_found')
    expect(decided(state({ removed: true, grants: [admin] }), command)).toBe('user_not_found')
  })
})

describe('identities', () => {
  it('belong to one person; linking again changes nothing', () => {
    const link: Known = { type: 'identity.link', userId: id, identity: 'slack:U1' }
    expect(decided(state(), link)).toEqual(['identity.linked'])
    expect(decided(state(), link, { identityHolder: id })).toEqual([])
    expect(decided(state(), link, { identityHolder: other })).toBe('identity_taken')
    const unlink: Known = { type: 'identity.unlink', userId: id, identity: 'slack:U1' }
    expect(decided(state(), unlink)).toBe('identity_not_found')
    expect(decided(state({ identities: ['slack:U1'] }), unlink)).toEqual(['identity.unlinked'])
  })

  it('are written with their platform; a bare U… is Slack', () => {
    expect(Identity.parse('U0AB12')).toBe('slack:U0AB12')
    expect(Identity.parse('phone:+4930')).toBe('phone:+4930')
    for (const wrong of ['ann', 'fax:1', 'slack:', 'slack:a b'])
      expect(Identity.safeParse(wrong).success, wrong).toBe(false)
  })
})

describe('roles and members', () => {
  it('the owner role is global; an unknown group has no admins; granting twice changes nothing', () => {
    const grant = (role: 'owner' | 'admin', agentGroupId: AgentGroupId | null): Known => ({
      type: 'role.grant',
      userId: id,
      role,
      agentGroupId,
    })
    expect(decided(state(), grant('owner', null))).toEqual(['role.granted'])
    expect(decided(state(), grant('owner', group))).toBe('owner_is_global')
    expect(decided(state(), grant('admin', group))).toEqual(['role.granted'])
    expect(decided(state(), grant('admin', group), { groupExists: false })).toBe('agent_group_not_found')
    expect(decided(state({ grants: [admin] }), grant('admin', null))).toEqual([])
    expect(decided(state({ grants: [admin] }), grant('admin', group))).toEqual(['role.granted'])
  })

  it('only a role someone holds is revoked, and not the last owner’s', () => {
    const revoke = (grant: typeof owner | typeof admin): Known => ({ type: 'role.revoke', userId: id, ...grant })
    expect(decided(state(), revoke(admin))).toBe('role_not_found')
    expect(decided(state({ grants: [groupAdmin] }), revoke(admin))).toBe('role_not_found')
    expect(decided(state({ grants: [admin] }), revoke(admin), { owners: 1 })).toEqual(['role.revoked'])
    expect(decided(state({ grants: [owner] }), revoke(owner))).toEqual(['role.revoked'])
    expect(decided(state({ grants: [owner] }), revoke(owner), { owners: 1 })).toBe('last_owner')
  })

  it('members come and go', () => {
    const add: Known = { type: 'member.add', userId: id, agentGroupId: group }
    const remove: Known = { type: 'member.remove', userId: id, agentGroupId: group }
    expect(decided(state(), add)).toEqual(['member.added'])
    expect(decided(state(), add, { groupExists: false })).toBe('agent_group_not_found')
    expect(decided(state({ memberOf: [group] }), add)).toEqual([])
    expect(decided(state(), remove)).toBe('member_not_found')
    expect(decided(state({ memberOf: [group] }), remove)).toEqual(['member.removed'])
  })

  it('an admin of one group is not a global admin', () => {
    expect([owner, admin, groupAdmin].map((grant) => isGlobalAdmin([grant]))).toEqual([true, true, false])
    expect([owner, admin, groupAdmin].map((grant) => isGlobalOwner([grant]))).toEqual([true, false, false])
  })
})
