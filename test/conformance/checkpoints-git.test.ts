import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from './agents-harness.ts'
import type { McpHarness, Place } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'

describe('checkpoints and Git', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function newRepo(): Promise<Place> {
    const place = await harness.place()
    await place.write('a.txt', 'one\n')
    git(place.path, 'init', '--quiet', '--initial-branch=main')
    git(place.path, 'add', '.')
    git(place.path, 'commit', '--quiet', '--message=first')
    return place
  }

  it('R18 index, branches, stash and HEAD stay untouched', async () => {
    await using agent = await harness.connect({ place: await newRepo() })
    const { place } = agent
    const at = place.path
    await place.write('a.txt', 'stashed\n')
    git(at, 'stash', '--quiet')
    git(at, 'branch', 'other')
    await place.write('staged.txt', 'staged\n')
    git(at, 'add', 'staged.txt')
    const state = () => [
      git(at, 'stash', 'list', '--format=%H'),
      git(at, 'for-each-ref'),
      git(at, 'ls-files', '--stage'),
      git(at, 'rev-parse', 'HEAD'),
      git(at, 'symbolic-ref', 'HEAD'),
      git(at, 'diff', '--cached'),
    ]
    const before = state()
    const { id } = await harness.owner.post<{ id: string }>(`/api/sessions/${agent.sessionId}/checkpoints`, {})
    expect(state()).toEqual(before)
    await place.write('a.txt', 'two\n')
    await harness.owner.post(`/api/checkpoints/${id}/restore`, { confirm: true })
    expect(state()).toEqual(before)
    expect(await place.read('a.txt')).toBe('one\n')
    expect(git(at, 'fsck', '--no-progress')).toBe('')
  })

  it('R18 the repository keeps its state: detached HEAD, a merge in progress, a locked index', async () => {
    await using agent = await harness.connect({ place: await newRepo() })
    const { place } = agent
    const at = place.path
    git(at, 'checkout', '--quiet', '-b', 'side')
    await place.write('a.txt', 'side\n')
    git(at, 'commit', '--quiet', '--all', '--message=side')
    git(at, 'checkout', '--quiet', '--detach', 'main')
    await place.write('a.txt', 'other\n')
    git(at, 'commit', '--quiet', '--all', '--message=other')
    expect(() => git(at, 'merge', '--quiet', 'side')).toThrow('merge')
    await writeFile(join(at, '.git', 'index.lock'), '')
    const conflicted = await place.read('a.txt')
    const { id } = await harness.owner.post<{ id: string }>(`/api/sessions/${agent.sessionId}/checkpoints`, {})
    await place.write('a.txt', 'solved\n')
    await harness.owner.post(`/api/checkpoints/${id}/restore`, { confirm: true })
    expect(await place.read('a.txt')).toBe(conflicted)
    expect(await place.read('.git/MERGE_HEAD')).not.toBeNull()
    expect(git(at, 'ls-files', '--unmerged')).not.toBe('')
    expect(await place.read('.git/index.lock')).toBe('')
  })
})
