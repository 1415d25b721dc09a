import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addWorktree, commonGitDir, removeWorktree, type Worktree } from '../../../src/edges/workspace/worktree.ts'
import type { Result } from '../../../src/lib/result.ts'
import { codeOf, freshPlace, type TestPlace } from './harness.ts'

const one = '11111111-0000-4000-8000-000000000000'
const two = '22222222-0000-4000-8000-000000000000'

const git = (cwd: string, ...args: string[]): string => {
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...who, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
}

type Repo = TestPlace & { parent: string; add(id: string): Promise<Result<Worktree>> }

async function freshRepo(): Promise<Repo> {
  const place = await freshPlace()
  git(place.root, 'init', '--quiet', '--initial-branch=main')
  git(place.root, 'add', '.')
  git(place.root, 'commit', '--quiet', '--message=first')
  const parent = join(place.outside, 'trees')
  return { ...place, parent, add: (sessionId) => addWorktree({ repo: place.root, sessionId, parent }) }
}

const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

describe('a worktree', () => {
  it('gives each session its own files and branch of the same repo', async () => {
    await using repo = await freshRepo()
    const [first, second] = (await Promise.all([repo.add(one), repo.add(two)])).map(valueOf)
    expect(first).toEqual({
      path: join(repo.parent, 'ws-11111111'),
      branch: 'signalbox/11111111',
      commonDir: join(repo.root, '.git'),
      from: { branch: 'main', commit: git(repo.root, 'rev-parse', 'HEAD') },
    })
    await writeFile(join(first!.path, 'src/a.txt'), 'mine')
    expect(await readFile(join(second!.path, 'src/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    expect(await readFile(join(repo.root, 'src/a.txt'), 'utf8')).toBe('one\ntwo\nthree\n')
    expect(git(first!.path, 'branch', '--show-current')).toBe('signalbox/11111111')
    expect(git(second!.path, 'branch', '--show-current')).toBe('signalbox/22222222')
  })

  it('requested again is the existing one, with its work', async () => {
    await using repo = await freshRepo()
    const first = valueOf(await repo.add(one))
    await writeFile(join(first.path, 'work'), 'x')
    expect(valueOf(await repo.add(one))).toEqual(first)
    expect(await readFile(join(first.path, 'work'), 'utf8')).toBe('x')
  })

  it('whose directory was lost is created again on its branch', async () => {
    await using repo = await freshRepo()
    const first = valueOf(await repo.add(one))
    await writeFile(join(first.path, 'work'), 'x')
    git(first.path, 'add', '.')
    git(first.path, 'commit', '--quiet', '--message=work')
    await rm(first.path, { recursive: true })
    expect(valueOf(await repo.add(one))).toEqual(first)
    expect(await readFile(join(first.path, 'work'), 'utf8')).toBe('x')
  })

  it('that a killed server left incomplete is created again', async () => {
    await using repo = await freshRepo()
    const first = valueOf(await repo.add(one))
    await rm(join(first.path, 'src'), { recursive: true })
    await writeFile(join(repo.root, '.git/worktrees/ws-11111111/locked'), 'initializing')
    expect(valueOf(await repo.add(one))).toEqual(first)
    expect(await readdir(first.path)).toContain('src')
  })

  it('can’t be made from a repo without a commit, without a repo, or over other files', async () => {
    await using repo = await freshRepo()
    const empty = join(repo.outside, 'empty')
    await mkdir(empty)
    const plain = { sessionId: one, parent: repo.parent }
    expect(codeOf(await addWorktree({ ...plain, repo: join(empty, 'none') }))).toBe('path_not_found')
    expect(codeOf(await addWorktree({ ...plain, repo: empty }))).toBe('not_a_repo')
    git(empty, 'init', '--quiet')
    expect(codeOf(await addWorktree({ ...plain, repo: empty }))).toBe('repo_without_commit')
    await mkdir(join(repo.parent, 'ws-11111111'), { recursive: true })
    await writeFile(join(repo.parent, 'ws-11111111/file'), 'x')
    expect(codeOf(await repo.add(one))).toBe('git_failed')
    expect(await readFile(join(repo.parent, 'ws-11111111/file'), 'utf8')).toBe('x')
    await writeFile(join(repo.outside, 'file'), 'x')
    const inAFile = { repo: repo.root, sessionId: one, parent: join(repo.outside, 'file/trees') }
    expect(codeOf(await addWorktree(inAFile))).toBe('file_unreachable')
  })

  it('starts no program that the repo configures', async () => {
    await using repo = await freshRepo()
    const trap = join(repo.outside, 'trap')
    const sprung = join(repo.outside, 'sprung')
    await writeFile(trap, `#!/bin/sh\necho "$0" >> ${sprung}\ncat\n`)
    await chmod(trap, 0o755)
    for (const hook of ['post-checkout', 'post-index-change', 'reference-transaction'])
      await symlink(trap, join(repo.root, '.git/hooks', hook))
    await writeFile(join(repo.root, '.gitattributes'), '* filter=a.b=c\n')
    git(repo.root, '-c', 'core.hooksPath=/dev/null', 'add', '.')
    git(repo.root, '-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--message=trap')
    const config = `[filter "a.b=c"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\trequired\n[core]\n\tfsmonitor = ${trap}\n`
    await writeFile(join(repo.root, '.git/trap'), config)
    git(repo.root, 'config', 'include.path', 'trap')
    const { path } = valueOf(await repo.add(one))
    await writeFile(join(path, 'src/a.txt'), 'one\ntwo\nthree\n')
    expect(valueOf(await removeWorktree({ repo: repo.root, path }))).toEqual({ removed: true, kept: null })
    expect(await exists(sprung)).toBe(false)
  })
})

describe('removing a worktree', () => {
  it('removes a clean one and its branch, and succeeds when repeated', async () => {
    await using repo = await freshRepo()
    const { path } = valueOf(await repo.add(one))
    expect(await removeWorktree({ repo: repo.root, path })).toEqual({ ok: true, value: { removed: true, kept: null } })
    expect(await exists(path)).toBe(false)
    expect(git(repo.root, 'branch', '--list', 'signalbox/*')).toBe('')
    expect(valueOf(await removeWorktree({ repo: repo.root, path }))).toEqual({ removed: false, kept: null })
    expect(codeOf(await repo.add(one))).toBe('ok')
  })

  const work: [name: string, says: RegExp, prepare: (path: string, repo: Repo) => Promise<unknown>][] = [
    ['a changed file', /uncommitted/, (path) => writeFile(join(path, 'src/a.txt'), 'x')],
    ['a new file', /uncommitted/, (path) => writeFile(join(path, 'new'), 'x')],
    [
      'a commit',
      /a commit that no other branch has/,
      (path) => Promise.resolve(git(path, 'commit', '--quiet', '--allow-empty', '--message=work')),
    ],
    [
      'a commit without a branch',
      /2 commits that no other branch has/,
      (path) => {
        git(path, 'checkout', '--quiet', '--detach')
        git(path, 'commit', '--quiet', '--allow-empty', '--message=work')
        return Promise.resolve(git(path, 'commit', '--quiet', '--allow-empty', '--message=more'))
      },
    ],
    ['a lock', /lock/, (path, { root }) => Promise.resolve(git(root, 'worktree', 'lock', path))],
    ['a tampered link', /not a worktree of/, (path) => writeFile(join(path, '.git'), 'gitdir: /none\n')],
  ]
  it.each(work)('keeps one with %s, and says why', async (_name, says, prepare) => {
    await using repo = await freshRepo()
    const { path } = valueOf(await repo.add(one))
    await prepare(path, repo)
    expect(valueOf(await removeWorktree({ repo: repo.root, path }))).toEqual({
      removed: false,
      kept: expect.stringMatching(says),
    })
    expect(await exists(join(path, '.git'))).toBe(true)
  })

  it('removes one whose commits are also on another branch', async () => {
    await using repo = await freshRepo()
    const { path, branch } = valueOf(await repo.add(one))
    git(path, 'commit', '--quiet', '--allow-empty', '--message=work')
    git(repo.root, 'merge', '--quiet', branch)
    expect(valueOf(await removeWorktree({ repo: repo.root, path })).removed).toBe(true)
  })

  it('never touches the repo itself, or a directory that is not its worktree', async () => {
    await using repo = await freshRepo()
    for (const path of [repo.root, repo.outside])
      expect(valueOf(await removeWorktree({ repo: repo.root, path }))).toMatchObject({ removed: false })
    expect(await exists(join(repo.root, 'src/a.txt'))).toBe(true)
    expect(await exists(join(repo.outside, 'secret'))).toBe(true)
  })
})

describe('the shared Git directory', () => {
  it('is returned for a worktree, and not for a repo with its own', async () => {
    await using repo = await freshRepo()
    const { path } = valueOf(await repo.add(one))
    expect(await commonGitDir(path)).toBe(await realpath(join(repo.root, '.git')))
    expect(await commonGitDir(repo.root)).toBeNull()
    expect(await commonGitDir(repo.outside)).toBeNull()
    expect(await commonGitDir(join(repo.root, 'none'))).toBeNull()
  })

  it('is never one that a workspace only claims', async () => {
    await using repo = await freshRepo()
    const { path } = valueOf(await repo.add(one))
    const agent = join(repo.outside, 'agent')
    const fake = join(agent, 'fake/worktrees/x')
    await mkdir(fake, { recursive: true })
    const claim = (gitDir: string) => writeFile(join(agent, '.git'), `gitdir: ${gitDir}\n`)
    await claim(join(repo.root, '.git'))
    expect(await commonGitDir(agent)).toBeNull()
    await claim(join(repo.root, '.git/worktrees/ws-11111111'))
    expect(await commonGitDir(agent)).toBeNull()
    await claim(fake)
    await writeFile(join(fake, 'gitdir'), `${join(agent, '.git')}\n`)
    await writeFile(join(fake, 'commondir'), `${join(repo.root, '.git')}\n`)
    for (const name of ['HEAD', 'objects', 'refs']) await mkdir(join(agent, 'fake', name))
    expect(await commonGitDir(agent)).toBeNull()
    await writeFile(join(fake, 'commondir'), '../..\n')
    expect(await commonGitDir(agent)).toBeNull()
    await rm(join(agent, '.git'))
    await symlink(join(path, '.git'), join(agent, '.git'))
    expect(await commonGitDir(agent)).toBeNull()
    await rm(join(agent, '.git'))
    execFileSync('/usr/bin/env', ['mkfifo', join(agent, '.git')])
    expect(await commonGitDir(agent)).toBeNull()
  })
})
