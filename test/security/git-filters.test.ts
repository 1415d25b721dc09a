import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, type AgentSession, type AgentsHarness } from '../conformance/agents-harness.ts'
import {
  commitAll,
  configure,
  git,
  openAgentsHarnessWithoutSandbox,
  trappedRepo,
  useEverything,
  type Trapped,
} from './git-trap.ts'
import { scale } from '../support/scale.ts'

type Plant = (repo: Trapped) => Promise<unknown>
type Attack = readonly [name: string, plant: Plant]

const filter = (name: string, trap: string): string =>
  `[filter "${name}"]\n\tsmudge = ${trap}\n\tclean = ${trap}\n\trequired\n`

const attributes = async ({ path }: Trapped, text: string) => {
  await writeFile(join(path, '.gitattributes'), `${text}\n`)
  commitAll(path)
}

/** A configuration file that another one includes. */
const included = async (repo: Trapped, text: string): Promise<void> => {
  await writeFile(join(repo.path, '.git', 'more'), text)
}

async function hooks(folder: string, trap: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of ['post-checkout', 'post-index-change', 'reference-transaction', 'pre-commit', 'fsmonitor']) {
    await copyFile(trap, join(folder, name))
    await chmod(join(folder, name), 0o755)
  }
}

const filters: readonly Attack[] = [
  [
    'a filter without a name',
    async (repo) => {
      await attributes(repo, '* filter=')
      await configure(repo, filter('', repo.trap))
    },
  ],
  [
    'a filter in a file that is included for worktrees alone',
    async (repo) => {
      await attributes(repo, '* filter=x')
      await included(repo, filter('x', repo.trap))
      await configure(repo, '[includeIf "gitdir:**/worktrees/**"]\n\tpath = more')
    },
  ],
  [
    'a filter in a file that is included',
    async (repo) => {
      await attributes(repo, '* filter=x')
      await included(repo, filter('x', repo.trap))
      await configure(repo, '[include]\n\tpath = more')
    },
  ],
  [
    'a filter with an odd name',
    async (repo) => {
      await attributes(repo, '* filter=a.b=c')
      await configure(repo, filter('a.b=c', repo.trap))
    },
  ],
  [
    'a filter that is a process',
    async (repo) => {
      await attributes(repo, '* filter=p')
      await configure(repo, `[filter "p"]\n\tprocess = ${repo.trap}\n`)
    },
  ],
  [
    'attributes that are in no commit',
    async (repo) => {
      await mkdir(join(repo.path, '.git/info'), { recursive: true })
      await writeFile(join(repo.path, '.git/info/attributes'), '* filter=\n')
      await configure(repo, filter('', repo.trap))
    },
  ],
  [
    'attributes in a file that the configuration names',
    async (repo) => {
      await writeFile(join(repo.path, '.git/more-attributes'), '* filter=\n')
      const file = join(repo.path, '.git/more-attributes')
      await configure(repo, `${filter('', repo.trap)}[core]\n\tattributesFile = ${file}`)
    },
  ],
  [
    'settings of one worktree',
    async (repo) => {
      await attributes(repo, '* filter=')
      await configure(repo, '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true')
      await writeFile(join(repo.path, '.git/config.worktree'), filter('', repo.trap))
    },
  ],
]

const programs: readonly Attack[] = [
  ['a file system monitor', (repo) => configure(repo, `[core]\n\tfsmonitor = ${repo.trap}`)],
  ['hooks', (repo) => hooks(join(repo.path, '.git/hooks'), repo.trap)],
  [
    'hooks in a place that an included file names',
    async (repo) => {
      const folder = join(repo.path, '.git/own-hooks')
      await hooks(folder, repo.trap)
      await included(repo, `[core]\n\thooksPath = ${folder}\n`)
      await configure(repo, '[include]\n\tpath = more')
    },
  ],
  [
    'programs for signatures, differences, pagers, editors, keys and other repos',
    (repo) =>
      configure(
        repo,
        [
          ...['sshCommand', 'pager', 'editor', 'askPass', 'alternateRefsCommand', 'gitProxy'].map(
            (name) => `[core]\n\t${name} = ${repo.trap}`,
          ),
          `[diff]\n\texternal = ${repo.trap}`,
          `[gpg]\n\tprogram = ${repo.trap}\n[commit]\n\tgpgSign = true\n[log]\n\tshowSignature = true`,
          `[credential]\n\thelper = !${repo.trap}`,
          `[uploadpack]\n\tpackObjectsHook = ${repo.trap}`,
          `[alias]\n\tworktree = !${repo.trap}\n\tstatus = !${repo.trap}\n\tls-files = !${repo.trap}`,
        ].join('\n'),
      ),
  ],
  [
    'differences and contents by a driver',
    async (repo) => {
      await attributes(repo, '* diff=x merge=x')
      await configure(
        repo,
        `[diff "x"]\n\tcommand = ${repo.trap}\n\ttextconv = ${repo.trap}\n[merge "x"]\n\tdriver = ${repo.trap}`,
      )
    },
  ],
  [
    'an object that is to be fetched by a program',
    async (repo) => {
      const blob = git(repo.path, 'rev-parse', 'HEAD:b.txt')
      await rm(join(repo.path, '.git/objects', blob.slice(0, 2), blob.slice(2)))
      await configure(
        repo,
        `[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\turl = ext::${repo.trap}\n\tpromisor = true\n\tuploadpack = ${repo.trap}\n[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always`,
      )
    },
  ],
  [
    'a submodule with a configuration of its own',
    async (repo) => {
      const inner = join(repo.path, 'inner')
      await mkdir(inner)
      git(inner, 'init', '--quiet')
      git(inner, 'commit', '--quiet', '--allow-empty', '--message=inner')
      await writeFile(join(repo.path, '.gitmodules'), '[submodule "inner"]\n\tpath = inner\n\turl = ./inner\n')
      commitAll(repo.path)
      git(inner, 'config', 'core.fsmonitor', repo.trap)
      await configure(
        repo,
        `[submodule]\n\trecurse = true\n[submodule "inner"]\n\tactive = true\n\turl = ./inner\n\tupdate = !${repo.trap}\n[status]\n\tsubmoduleSummary = true`,
      )
    },
  ],
]

const attacks = [...filters, ...programs]
/** The sandbox is a second barrier: `npm test` tries some attacks with it, and all without it. */
const inSandbox = scale({ test: attacks.filter((_, at) => at % 3 === 0), long: attacks })

describe('S2 what a repo configures', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each(inSandbox)('S2 %s: nothing of it runs', async (_, plant) => {
    const repo = await trappedRepo(harness, plant)
    await useEverything(harness, repo)
    expect(repo.sprung()).toBe('')
  })

  it('S2 a worktree is still made if only settings are ignored', async () => {
    const repo = await trappedRepo(harness, async (one) => {
      await attributes(one, '* filter=lfs')
      await configure(one, `${filter('lfs', one.trap)}[remote "origin"]\n\turl = https://example.org/x.git`)
    })
    const session = await harness.start({ repoId: repo.id, worktree: true })
    expect(await readFile(join(session.workspaceRoot, 'src/a.txt'), 'utf8')).toBe('one\n')
    expect(repo.sprung()).toBe('')
  })

  it('S2 a commit whose paths lead out of the worktree is not checked out', async () => {
    const escaped: string[] = []
    for (const name of ['..', '.git', '.GIT', 'git~1']) {
      const repo = await trappedRepo(harness, async ({ path }) => {
        const blob = git(path, 'rev-parse', 'HEAD:b.txt')
        const mktree = (line: string) => execFileSync('git', ['mktree'], { cwd: path, input: line }).toString().trim()
        const inner = mktree(`100755 blob ${blob}\tescaped\n`)
        const tree = mktree(`040000 tree ${inner}\t${name}\n`)
        git(path, 'update-ref', 'refs/heads/main', git(path, 'commit-tree', '-m', 'odd', tree))
      })
      const started = await harness.api.send('POST', '/api/sessions', {
        body: { agent: 'practice', repoId: repo.id, worktree: true, isolation: 'none' },
      })
      const trees = `${harness.server.home}.worktrees`
      escaped.push(...(existsSync(trees) ? readdirSync(trees) : []).filter((one) => one === 'escaped'))
      const root = started.status < 400 ? (started.body as AgentSession).workspaceRoot : null
      if (root !== null && existsSync(join(root, '.git', 'escaped'))) escaped.push(name)
      expect(existsSync(join(repo.path, '.git', 'escaped'))).toBe(false)
    }
    expect(escaped).toEqual([])
  })
})

describe('S2 what a repo configures, without a sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sbnb-'))
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarnessWithoutSandbox(join(folder, 'bin'))
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each(attacks)('S2 %s: nothing of it runs', async (name, plant) => {
    const repo = await trappedRepo(harness, plant)
    const codes = await useEverything(harness, repo)
    expect(repo.sprung()).toBe('')
    expect(codes.includes('repo_refused')).toBe(name.includes('included'))
  })
})
