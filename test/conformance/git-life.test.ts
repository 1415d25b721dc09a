import { existsSync, readdirSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { git as runGit, openAgentsHarness, type AgentSession, type AgentsHarness } from './agents-harness.ts'

type Change = {
  base: string
  branch: string | null
  into: string | null
  commits: { subject: string }[]
  uncommitted: number
  merged: boolean
  files: { path: string; change: string; from: string | null; added: number; removed: number }[]
  diff: string
  proposedMessage: string
  sharedWith: number
}
type Merged = { outcome: string; commit: string; into: string; conflicts?: { path: string; text: string | null }[] }

const git = (cwd: string, ...args: string[]): string => runGit(cwd, ...args).trimEnd()

describe('the Git life of a session', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function newRepo(): Promise<string> {
    const path = await harness.workspace()
    git(path, 'init', '--quiet', '--initial-branch=main')
    await writeFile(join(path, 'a.txt'), 'one\ntwo\nthree\nfour\nfive\n')
    await writeFile(join(path, 'old.txt'), 'these lines\nstay the same\nwhatever its name\n')
    await writeFile(join(path, '.gitignore'), 'ignored.txt\n')
    git(path, 'add', '.')
    git(path, 'commit', '--quiet', '--message=first')
    return path
  }
  async function inWorktree(
    more: object = {},
  ): Promise<{ session: AgentSession; repo: string; tree: string; id: string }> {
    const repo = await newRepo()
    const session = await harness.start({ workspaceRoot: repo, worktree: true, ...more })
    return { session, repo, tree: session.workspaceRoot, id: session.id }
  }
  const change = (id: string) => harness.api.get<Change>(`/api/sessions/${id}/change`)
  const commit = (id: string, message?: string) =>
    harness.api.post<{ commit: string; branch: string; files: number; message: string }>(
      `/api/sessions/${id}/commit`,
      message === undefined ? {} : { message },
    )
  const merge = (id: string, how = 'merge') => harness.api.post<Merged>(`/api/sessions/${id}/merge`, { how })
  const refused = async (path: string, body: object) => {
    const { status, body: said } = await harness.api.send('POST', path, { body })
    return { status, code: (said as { error?: { code: string } }).error?.code }
  }
  const clean = (path: string) => git(path, 'status', '--porcelain')

  it('B16 the whole change: commits, uncommitted changes, new files and renames', async () => {
    const { id, tree } = await inWorktree()
    expect(await change(id)).toMatchObject({ files: [], commits: [], diff: '', into: 'main' })
    await writeFile(join(tree, 'a.txt'), 'one\nTWO\nthree\nfour\nfive\n')
    git(tree, 'commit', '--quiet', '--all', '--message=louder')
    await writeFile(join(tree, 'new.txt'), 'new\n')
    await writeFile(join(tree, 'ignored.txt'), 'not shown\n')
    await rename(join(tree, 'old.txt'), join(tree, 'renamed.txt'))
    const before = git(tree, 'ls-files', '--stage')
    const found = await change(id)
    expect(found.commits).toMatchObject([{ subject: 'louder' }])
    expect(found.uncommitted).toBe(2)
    expect(found.files).toMatchObject([
      { path: 'a.txt', change: 'modified', added: 1, removed: 1 },
      { path: 'new.txt', change: 'added', added: 1, removed: 0 },
      { path: 'renamed.txt', change: 'renamed', from: 'old.txt', added: 0, removed: 0 },
    ])
    expect(found.diff).toContain('-two\n+TWO\n')
    expect(found.diff).toContain('+++ b/new.txt')
    expect(found.diff).toContain('rename from old.txt\nrename to renamed.txt')
    expect(found.diff).not.toContain('not shown')
    // Looking changes nothing.
    expect(git(tree, 'ls-files', '--stage')).toBe(before)
    expect(git(tree, 'fsck', '--unreachable', '--no-progress')).toBe('')
  })

  it('B16 without a worktree the change counts from the start of the session', async () => {
    const repo = await newRepo()
    const { id } = await harness.start({ workspaceRoot: repo })
    await writeFile(join(repo, 'a.txt'), 'another\n')
    git(repo, 'commit', '--quiet', '--all', '--message=by the agent')
    await writeFile(join(repo, 'b.txt'), 'more\n')
    const found = await change(id)
    expect(found.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
    expect(await refused(`/api/sessions/${id}/merge`, {})).toMatchObject({ status: 400, code: 'no_worktree' })
  })

  it('B16 flags in the index and attributes do not hide a change', async () => {
    const { id, tree } = await inWorktree()
    git(tree, 'update-index', '--assume-unchanged', 'a.txt')
    git(tree, 'update-index', '--skip-worktree', 'old.txt')
    await writeFile(join(tree, 'a.txt'), 'hidden one\n')
    await writeFile(join(tree, 'old.txt'), 'hidden two\n')
    await writeFile(join(tree, '.gitattributes'), '* -diff\n')
    const found = await change(id)
    expect(found.diff).toContain('+hidden one')
    expect(found.diff).toContain('+hidden two')
  })

  it('B16 commit with a message, or with the proposed one; it is in the audit', async () => {
    const { id, tree } = await inWorktree({ prompt: '/say Hello' })
    await writeFile(join(tree, 'new.txt'), 'new\n')
    await rm(join(tree, 'old.txt'))
    const { proposedMessage } = await change(id)
    expect(proposedMessage).toBe('/say Hello')
    const done = await commit(id)
    expect(done).toMatchObject({ files: 2, message: proposedMessage, branch: `signalbox/${id.slice(0, 8)}` })
    expect(git(tree, 'rev-parse', 'HEAD')).toBe(done.commit)
    expect(clean(tree)).toBe('')
    expect(git(tree, 'log', '-1', '--format=%B')).toContain(`Signalbox-Session: ${id}`)
    await writeFile(join(tree, 'new.txt'), 'newer\n')
    await commit(id, 'Make it newer')
    expect(git(tree, 'log', '-1', '--format=%s')).toBe('Make it newer')
    expect(await refused(`/api/sessions/${id}/commit`, {})).toMatchObject({ status: 409, code: 'nothing_to_commit' })
    const { events } = await harness.api.get<{ events: { type: string; data: { what?: string } }[] }>(
      `/api/audit?session=${id}&limit=500`,
    )
    expect(events.filter(({ type, data }) => type === 'session.steered' && data.what === 'commit')).toHaveLength(2)
  })

  it('B16 merge into the branch it came from, with the files of its checkout', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'a.txt'), 'one\nTWO\nthree\nfour\nfive\n')
    expect(await refused(`/api/sessions/${id}/merge`, {})).toMatchObject({ status: 409, code: 'uncommitted_changes' })
    await commit(id, 'Louder')
    await writeFile(join(repo, 'b.txt'), 'b\n')
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '--message=beside')
    await writeFile(join(repo, 'loose.txt'), 'a person works on this\n')
    expect(await merge(id)).toMatchObject({ outcome: 'merged', into: 'main' })
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toContain('TWO')
    expect(clean(repo)).toBe('?? loose.txt')
    expect(git(repo, 'rev-list', '--count', '--merges', 'main')).toBe('1')
    expect(await change(id)).toMatchObject({ merged: true, files: [{ path: 'a.txt' }] })
    expect(await merge(id)).toMatchObject({ outcome: 'nothing' })
  })

  it('B16 a conflict is shown, and nothing is changed', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'a.txt'), 'one\ntheirs\nthree\nfour\nfive\n')
    await commit(id, 'Theirs')
    await writeFile(join(repo, 'a.txt'), 'one\nours\nthree\nfour\nfive\n')
    git(repo, 'commit', '--quiet', '--all', '--message=ours')
    const state = () =>
      [repo, tree].map((path) => [git(path, 'for-each-ref'), clean(path), git(path, 'ls-files', '-s')])
    const before = state()
    for (const how of ['merge', 'rebase']) {
      const done = await merge(id, how)
      expect(done).toMatchObject({ outcome: 'conflict', conflicts: [{ path: 'a.txt' }] })
      expect(done.conflicts![0]!.text).toMatch(/<<<<<<<[^]*ours[^]*=======[^]*theirs[^]*>>>>>>>/)
    }
    expect(state()).toEqual(before)
  })

  it('B16 a checkout with changes of a person is not touched', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'a.txt'), 'agent\n')
    await writeFile(join(tree, 'new.txt'), 'agent\n')
    await commit(id, 'Work')
    await writeFile(join(repo, 'a.txt'), 'a person\n')
    expect(await refused(`/api/sessions/${id}/merge`, {})).toMatchObject({ status: 409, code: 'uncommitted_changes' })
    git(repo, 'checkout', '--quiet', 'a.txt')
    await writeFile(join(repo, 'new.txt'), 'a person\n')
    expect(await refused(`/api/sessions/${id}/merge`, {})).toMatchObject({ status: 409, code: 'would_overwrite' })
    expect(await readFile(join(repo, 'new.txt'), 'utf8')).toBe('a person\n')
    expect(git(repo, 'log', '--format=%s', 'main')).toBe('first')
  })

  it('B16 rebase: its commits on top of the branch, in the worktree too', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'a.txt'), 'ONE\ntwo\nthree\nfour\nfive\n')
    await commit(id, 'First')
    await writeFile(join(tree, 'c.txt'), 'c\n')
    await commit(id, 'Second')
    await writeFile(join(repo, 'b.txt'), 'b\n')
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '--message=beside')
    expect(await merge(id, 'rebase')).toMatchObject({ outcome: 'merged' })
    expect(git(repo, 'log', '--format=%s', 'main').split('\n')).toEqual(['Second', 'First', 'beside', 'first'])
    expect(git(tree, 'rev-parse', 'HEAD')).toBe(git(repo, 'rev-parse', 'main'))
    expect([clean(repo), clean(tree)]).toEqual(['', ''])
    expect(existsSync(join(tree, 'b.txt'))).toBe(true)
  })

  it('B16 two merges at once: both are in, or one is refused whole', async () => {
    const { id, tree, repo } = await inWorktree()
    const second = await harness.start({ workspaceRoot: repo, worktree: true })
    await writeFile(join(tree, 'b.txt'), 'b\n')
    await writeFile(join(second.workspaceRoot, 'c.txt'), 'c\n')
    await Promise.all([commit(id, 'b'), commit(second.id, 'c')])
    const done = await Promise.all([merge(id), merge(second.id, 'rebase')])
    expect(done.map(({ outcome }) => outcome)).toEqual(['merged', 'merged'])
    expect(clean(repo)).toBe('')
    expect(git(repo, 'ls-files').split('\n')).toEqual(expect.arrayContaining(['b.txt', 'c.txt']))
  })

  it('B16 a worktree with work is kept, people are told, and it is removed only when confirmed', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'b.txt'), 'b\n')
    await commit(id, 'Work')
    await writeFile(join(tree, 'loose.txt'), 'loose\n')
    expect(await refused(`/api/sessions/${id}/worktree/remove`, {})).toMatchObject({ code: 'worktree_in_use' })
    await harness.api.post(`/api/sessions/${id}/complete`, {})
    const told = await until(
      async () => (await harness.detail({ id })).messages.find(({ role }) => role === 'system'),
      { what: 'a message about the worktree' },
    )
    expect(JSON.stringify(told)).toContain(tree)
    const list = () => harness.api.get<{ worktrees: { path: string; lost: string | null }[] }>('/api/worktrees')
    expect((await list()).worktrees.find(({ path }) => path === tree)?.lost).toBe('It has uncommitted changes.')
    expect(await refused(`/api/sessions/${id}/worktree/remove`, {})).toMatchObject({
      status: 409,
      code: 'work_would_be_lost',
    })
    expect(existsSync(join(tree, 'loose.txt'))).toBe(true)
    const { stdout } = await harness.server.cli('worktrees', 'remove', id, '--yes')
    expect(stdout).toContain(`The branch signalbox/${id.slice(0, 8)} was kept: its commits are on no other branch.`)
    expect(existsSync(tree)).toBe(false)
    expect(git(repo, 'log', '-1', '--format=%s', `signalbox/${id.slice(0, 8)}`)).toBe('Work')
  })

  it('B16 two agents in one directory: a warning, and none if one has a worktree', async () => {
    const repo = await newRepo()
    const first = await harness.start({ workspaceRoot: repo })
    const apart = await harness.start({ workspaceRoot: repo, worktree: true })
    const shared = async ({ id }: { id: string }) => (await harness.api.get<Change>(`/api/sessions/${id}`)).sharedWith
    expect([await shared(first), await shared(apart)]).toEqual([0, 0])
    const words = ['start', 'practice', '--workspace', repo, '--isolation', 'none', '--detach', '/say Hello']
    expect((await harness.server.cli(...words)).stderr).toContain('Another agent works in the same directory.')
    expect([await shared(first), await shared(apart)]).toEqual([1, 0])
    await harness.api.post(`/api/sessions/${first.id}/complete`, {})
    expect(await shared(first)).toBe(0)
  })

  it('B16 a merge cut short is finished when the server is back', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'a.txt'), 'agent\n')
    await commit(id, 'Work')
    const [old, next] = [git(repo, 'rev-parse', 'main'), git(tree, 'rev-parse', 'HEAD')]
    // As a server leaves it that is killed between the branch and the files.
    const note = { repo, refs: [{ branch: 'main', old, next }], trees: [{ path: repo, old, next }] }
    await writeFile(join(harness.server.home, 'git', 'cut-short.json'), JSON.stringify(note))
    git(repo, 'update-ref', 'refs/heads/main', next)
    expect(clean(repo)).not.toBe('')
    await harness.server.restart()
    await until(() => !existsSync(join(harness.server.home, 'git', 'cut-short.json')), { what: 'the end of the merge' })
    expect(clean(repo)).toBe('')
    expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe('agent\n')
  })

  it('B16 a server killed during a merge leaves nothing half done', async () => {
    for (const [trial, wait] of [40, 120, 200, 280].entries()) {
      const { id, tree, repo } = await inWorktree()
      await writeFile(join(tree, 'a.txt'), `agent ${trial}\n`)
      await commit(id, 'Work')
      const [old, next] = [git(repo, 'rev-parse', 'main'), git(tree, 'rev-parse', 'HEAD')]
      const answer = merge(id).catch(() => null)
      await pause(wait)
      await harness.server.kill()
      await answer
      await harness.server.restart()
      const left = () => readdirSync(join(harness.server.home, 'git')).filter((name) => name.endsWith('.json'))
      await until(() => left().length === 0, { what: 'the end of the merge' })
      const now = git(repo, 'rev-parse', 'main')
      expect([old, next]).toContain(now)
      expect(clean(repo)).toBe('')
      // Whatever it left, the next attempt succeeds.
      expect((await merge(id)).outcome).toBe(now === next ? 'nothing' : 'merged')
      expect(await readFile(join(repo, 'a.txt'), 'utf8')).toBe(`agent ${trial}\n`)
    }
  })

  it('B16 the command line shows, commits and merges', async () => {
    const { id, tree, repo } = await inWorktree()
    await writeFile(join(tree, 'new.txt'), 'hello\n')
    const shown = await harness.server.cli('diff', id)
    expect(shown.stdout).toContain('A  new.txt  +1 -0')
    expect(shown.stdout).toContain('+hello')
    expect((await harness.server.cli('commit', id, '--message', 'Say hello')).stdout).toContain('1 file committed on')
    expect((await harness.server.cli('merge', id)).stdout).toContain('is merged into main')
    expect(git(repo, 'log', '-1', '--format=%s', 'main')).toBe('Say hello')
    expect((await harness.server.cli('sessions', 'show', id)).stdout).toContain('from main')
    expect((await harness.server.cli('worktrees')).stdout).toContain(`signalbox/${id.slice(0, 8)}`)
  })
})
