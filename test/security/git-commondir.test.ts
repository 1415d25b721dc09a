import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, type AgentsHarness } from '../conformance/agents-harness.ts'
import {
  commitAll,
  git,
  openAgentsHarnessWithoutSandbox,
  trappedRepo,
  useEverything,
  type Trapped,
} from './git-trap.ts'

const filter = (trap: string): string => `[filter ""]\n\tsmudge = ${trap}\n\tclean = ${trap}\n`

const shared = ['objects', 'refs', 'info']

/** The agent's own directory in place of the shared Git directory, with everything Git looks for. */
async function ownDirectory({ path, trap }: Trapped): Promise<string> {
  await writeFile(join(path, '.gitattributes'), '* filter=\n')
  commitAll(path)
  const own = join(path, '.git', 'own')
  await mkdir(join(own, 'worktrees'), { recursive: true })
  for (const name of shared) await symlink(join('..', name), join(own, name))
  await writeFile(join(own, 'HEAD'), 'ref: refs/heads/main\n')
  await writeFile(join(own, 'config'), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${filter(trap)}`)
  return own
}

const attacks: readonly (readonly [name: string, plant: (repo: Trapped) => Promise<unknown>])[] = [
  [
    'a commondir that leads to a directory of the agent',
    async (repo) => writeFile(join(repo.path, '.git', 'commondir'), `${await ownDirectory(repo)}\n`),
  ],
  [
    'a commondir with a relative path',
    async (repo) => {
      await ownDirectory(repo)
      await writeFile(join(repo.path, '.git', 'commondir'), 'own\n')
    },
  ],
  [
    'a file .git that leads to a directory of the agent',
    async (repo) => {
      const own = await ownDirectory(repo)
      await rename(join(repo.path, '.git'), join(repo.path, 'elsewhere'))
      const config = join(repo.path, 'elsewhere', 'own', 'config')
      await writeFile(config, (await readFile(config, 'utf8')).replaceAll('/.git/trap', '/elsewhere/trap'))
      await writeFile(join(repo.path, '.git'), `gitdir: ${own.replace('/.git/', '/elsewhere/')}\n`)
    },
  ],
  [
    'a link .git that leads to a directory of the agent',
    async (repo) => {
      await ownDirectory(repo)
      await rename(join(repo.path, '.git'), join(repo.path, 'elsewhere'))
      await symlink('elsewhere', join(repo.path, '.git'))
      await writeFile(join(repo.path, 'elsewhere', 'commondir'), 'own\n')
    },
  ],
  [
    'a configuration that is a link',
    async (repo) => {
      await ownDirectory(repo)
      await rm(join(repo.path, '.git', 'config'))
      await symlink('own/config', join(repo.path, '.git', 'config'))
    },
  ],
]

describe('S2 the parts of a repo', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each(attacks)('S2 %s: nothing of the agent’s runs', async (_, plant) => {
    const repo = await trappedRepo(harness, plant)
    const codes = await useEverything(harness, repo)
    expect(repo.sprung()).toBe('')
    expect(codes).toContain('repo_refused')
  })

  it('S2 objects of another repo are not read for a repo that names them', async () => {
    const other = await trappedRepo(harness, async () => {})
    await writeFile(join(other.path, 'secret.txt'), 'secret of another repo\n')
    commitAll(other.path)
    const secret = git(other.path, 'rev-parse', 'HEAD')
    const repo = await trappedRepo(harness, async ({ path }) => {
      await writeFile(join(path, '.git/objects/info/alternates'), `${join(other.path, '.git/objects')}\n`)
      await writeFile(join(path, '.git/refs/heads/main'), `${secret}\n`)
    })
    const refused = await harness.api.refused('POST', '/api/sessions', {
      agent: 'practice',
      repoId: repo.id,
      worktree: true,
    })
    expect(refused).toMatchObject({ status: 400, code: 'repo_refused' })
    expect(refused.message).toContain('objects of another repo')
  })
})

describe('S2 the parts of a repo, without a sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sbnb-'))
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarnessWithoutSandbox(join(folder, 'bin'))
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(attacks)('S2 %s: nothing of the agent’s runs', async (_, plant) => {
    const repo = await trappedRepo(harness, plant)
    const codes = await useEverything(harness, repo)
    expect(repo.sprung()).toBe('')
    expect(codes).toContain('repo_refused')
  })
})
