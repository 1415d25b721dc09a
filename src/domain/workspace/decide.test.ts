import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import { decideRepo, type RepoState } from './decide.ts'
import type { RepoId } from './schema.ts'

const id = newId<RepoId>()
const old = newId<RepoId>()

describe('a repo', () => {
  const register = (byPath: RepoState | undefined) =>
    decideRepo({ byId: undefined, byPath }, { type: 'repo.register', id, name: 'app', path: '/srv/app' }, null)

  it('is registered once a path', () => {
    expect(register(undefined)).toMatchObject({ value: [{ type: 'repo.registered', data: { id, path: '/srv/app' } }] })
    expect(register({ id: old, removed: false })).toMatchObject({
      fault: { code: 'repo_exists', details: { repoId: old } },
    })
  })

  it('that comes back keeps its id', () => {
    expect(register({ id: old, removed: true })).toMatchObject({
      value: [{ type: 'repo.registered', data: { id: old } }],
    })
  })

  it('is removed once', () => {
    const remove = (byId: RepoState | undefined) =>
      decideRepo({ byId, byPath: undefined }, { type: 'repo.remove', id }, null)
    expect(remove({ id, removed: false })).toMatchObject({ value: [{ type: 'repo.removed' }] })
    expect(remove({ id, removed: true })).toMatchObject({ fault: { code: 'repo_not_found' } })
    expect(remove(undefined)).toMatchObject({ fault: { code: 'repo_not_found' } })
  })
})
