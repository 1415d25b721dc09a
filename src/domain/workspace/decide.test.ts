import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { Holdings } from '../user/actor.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import { decideRepo, mayUseRepo, type RepoState } from './decide.ts'
import type { RepoAccess, RepoId } from './schema.ts'

const id = newId<RepoId>()
const old = newId<RepoId>()
const nobody = { users: [], agentGroups: [] }

describe('a repo', () => {
  const register = (byPath: RepoState | undefined) =>
    decideRepo({ byId: undefined, byPath }, { type: 'repo.register', id, name: 'app', path: '/srv/app' }, null, nobody)

  it('is registered once per path', () => {
    expect(register(undefined)).toMatchObject({ value: [{ type: 'repo.registered', data: { id, path: '/srv/app' } }] })
    expect(register({ id: old, removed: false })).toMatchObject({
      fault: { code: 'repo_exists', details: { repoId: old } },
    })
  })

  it('that is registered again keeps its id', () => {
    expect(register({ id: old, removed: true })).toMatchObject({
      value: [{ type: 'repo.registered', data: { id: old } }],
    })
  })

  it('is removed once', () => {
    const remove = (byId: RepoState | undefined) =>
      decideRepo({ byId, byPath: undefined }, { type: 'repo.remove', id }, null, nobody)
    expect(remove({ id, removed: false })).toMatchObject({ value: [{ type: 'repo.removed' }] })
    expect(remove({ id, removed: true })).toMatchObject({ fault: { code: 'repo_not_found' } })
    expect(remove(undefined)).toMatchObject({ fault: { code: 'repo_not_found' } })
  })
})

describe('who may use a repo', () => {
  const ann = newId<UserId>()
  const group = newId<AgentGroupId>()
  const none: Holdings = { grants: [], memberOf: [] }
  const named: RepoAccess = { everyone: false, users: [ann], agentGroups: [group] }
  const set = (more: Partial<RepoAccess>, unknown: typeof nobody | { users: UserId[]; agentGroups: AgentGroupId[] }) =>
    decideRepo(
      { byId: { id, removed: false }, byPath: undefined },
      { type: 'repo.set_access', id, ...named, ...more },
      null,
      unknown,
    )

  it('is set by an admin, for existing people and groups', () => {
    expect(set({}, nobody)).toMatchObject({ value: [{ type: 'repo.access_set', data: { id, ...named } }] })
    expect(set({}, { users: [ann], agentGroups: [] })).toMatchObject({ fault: { code: 'user_not_found' } })
    expect(set({}, { users: [], agentGroups: [group] })).toMatchObject({ fault: { code: 'agent_group_not_found' } })
    expect(set({ everyone: true }, nobody)).toMatchObject({ fault: { code: 'everyone_or_named' } })
  })

  it('are the people named, members and admins of the groups named, and people with the machine right', () => {
    const may = (held: Partial<Holdings>, user: UserId | null = newId<UserId>()) =>
      mayUseRepo(user, { ...none, ...held }, named)
    expect(may({}, ann)).toBe(true)
    expect(may({})).toBe(false)
    expect(may({ memberOf: [group] })).toBe(true)
    expect(may({ grants: [{ role: 'admin', agentGroupId: group }] })).toBe(true)
    expect(may({ grants: [{ role: 'admin', agentGroupId: newId<AgentGroupId>() }] })).toBe(false)
    for (const role of ['owner', 'admin', 'machine'] as const)
      expect(may({ grants: [{ role, agentGroupId: null }] })).toBe(true)
    expect(mayUseRepo(null, none, { ...named, everyone: true })).toBe(true)
  })
})
