import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git as runGit, openAgentsHarness, type AgentsHarness } from './agents-harness.ts'
import { newPerson } from './people.ts'

type Plan = {
  forge: string
  repo: string
  address: string
  branch: string
  commit: string
  into: string | null
  title: string
  body: string
  pushed: boolean
  uncommitted: number
  existing: { number: number; url: string; state: string } | null
  steps: string[][]
}
type Answer = { outcome: string; url: string; commit: string }

const git = (cwd: string, ...args: string[]): string => runGit(cwd, ...args).trimEnd()

/** Stands for gh and glab: records each call, and keeps the pull requests in a file. */
const fakeTool = (name: string, folder: string) => `#!${process.execPath}
const fs = require('node:fs')
const args = process.argv.slice(2)
const folder = ${JSON.stringify(folder)}
fs.appendFileSync(folder + '/calls.jsonl', JSON.stringify({ tool: '${name}', args, cwd: fs.readdirSync('.'), token: process.env.GH_TOKEN ?? null, secret: process.env.OWN_SECRET ?? null }) + '\\n')
const read = (file) => fs.existsSync(folder + '/' + file) ? fs.readFileSync(folder + '/' + file, 'utf8') : ''
if (args[0] === 'auth') process.exit(read('signed-out') === '' ? 0 : 1)
const value = (flag) => args.find((arg) => arg.startsWith(flag + '='))?.slice(flag.length + 1)
const branch = value('--head') ?? value('--source-branch')
const file = 'requests-' + branch.replaceAll('/', '-')
const known = read(file) === '' ? [] : JSON.parse(read(file))
if (args[1] === 'list') {
  const shown = '${name}' === 'gh' ? known : known.map(({ number, url, title, state }) => ({ iid: number, web_url: url, title, state: state === 'OPEN' ? 'opened' : state.toLowerCase() }))
  process.stdout.write(JSON.stringify(shown))
} else {
  if (read('refuses') !== '') { process.stderr.write('pull request create failed: ' + read('refuses')); process.exit(1) }
  const number = 7
  const url = 'https://${name === 'gh' ? 'github.com' : 'git.example.org'}/acme/shop/pull/' + number
  fs.writeFileSync(folder + '/' + file, JSON.stringify([{ number, url, title: value('--title'), state: 'OPEN' }, ...known]))
  process.stdout.write('Warning: 1 uncommitted change\\n' + url + '\\n')
}
`

describe('pull requests', () => {
  let harness: AgentsHarness
  let folder: string
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbp-')))
    await mkdir(join(folder, 'bin'))
    await mkdir(join(folder, 'acme'))
    for (const name of ['gh', 'glab']) {
      await writeFile(join(folder, 'bin', name), fakeTool(name, folder))
      await chmod(join(folder, 'bin', name), 0o755)
    }
    // The operator's own settings lead to repos on the disk instead of the network.
    const operator = join(folder, 'gitconfig')
    await writeFile(
      operator,
      ['https://github.com/acme/', 'https://git.example.org/acme/']
        .map((address) => `[url "file://${folder}/acme/"]\n\tinsteadOf = ${address}\n`)
        .join(''),
    )
    harness = await openAgentsHarness({
      config: '[acp]\nmax_sessions = 1000\n[pull_requests]\ngitlab_hosts = ["git.example.org"]\n',
      env: {
        PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        GIT_CONFIG_GLOBAL: operator,
        GH_TOKEN: 'of-the-operator',
        OWN_SECRET: 'of-the-server',
      },
    })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  let repos = 0
  /** A session with one commit in its worktree, and a bare repo as its remote. */
  async function committed(more: { remote?: (name: string) => string; prompt?: string } = {}) {
    repos += 1
    const name = `shop-${repos}`
    const bare = join(folder, 'acme', `${name}.git`)
    git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare)
    const repo = await harness.workspace()
    git(repo, 'init', '--quiet', '--initial-branch=main')
    await writeFile(join(repo, 'a.txt'), 'one\n')
    git(repo, 'add', '.')
    git(repo, 'commit', '--quiet', '--message=first')
    git(repo, 'push', '--quiet', bare, 'main')
    git(repo, 'remote', 'add', 'origin', more.remote?.(name) ?? `https://github.com/acme/${name}.git`)
    const session = await harness.start({
      workspaceRoot: repo,
      worktree: true,
      ...(more.prompt !== undefined && { prompt: more.prompt }),
    })
    const tree = session.workspaceRoot
    await writeFile(join(tree, 'b.txt'), 'two\n')
    git(tree, 'add', '.')
    git(tree, 'commit', '--quiet', '--message=Add b')
    return { id: session.id, tree, repo, bare, branch: `signalbox/${session.id.slice(0, 8)}` }
  }
  const plan = (id: string, body: object = {}) => harness.api.post<Plan>(`/api/sessions/${id}/pull-request/plan`, body)
  const open = (id: string, body: object) => harness.api.post<Answer>(`/api/sessions/${id}/pull-request`, body)
  const agreed = ({ commit, address }: Plan) => ({ commit, address })
  const refused = (id: string, body: object = {}, api = harness.api) =>
    api.refused('POST', `/api/sessions/${id}/pull-request/plan`, body)
  const calls = async () =>
    (await readFile(join(folder, 'calls.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { tool: string; args: string[]; cwd: string[]; token: string; secret: null })
  const branchesOf = (bare: string) => git(bare, 'for-each-ref', '--format=%(refname:short)').split('\n')

  it('B16 a pull request: shown first, pushed and opened only as agreed, and found again', async () => {
    const { id, bare, branch, tree } = await committed({ prompt: '/say Hello' })
    const found = await plan(id)
    const commit = git(tree, 'rev-parse', 'HEAD')
    expect(found).toMatchObject({ forge: 'github', into: 'main', title: 'Add b', branch, commit, pushed: false })
    expect(found.existing).toBeNull()
    expect(found.repo).toMatch(/^github\.com\/acme\/shop-\d+$/)
    // Looking pushes nothing.
    expect(branchesOf(bare)).toEqual(['main'])
    const done = await open(id, { title: 'Now; `b` $(too)', body: '--draft\nline', ...agreed(found) })
    expect(done).toEqual({ outcome: 'opened', url: 'https://github.com/acme/shop/pull/7', branch, commit })
    expect(git(bare, 'rev-parse', branch)).toBe(commit)
    const call = (await calls()).at(-1)!
    expect(call.args).toEqual([
      'pr',
      'create',
      '--repo',
      found.repo,
      `--head=${branch}`,
      '--base=main',
      '--title=Now; `b` $(too)',
      '--body=--draft\nline',
    ])
    // Nothing of the workspace is beside the tool, and only its own credentials are in its environment.
    expect(call).toMatchObject({ token: 'of-the-operator', secret: null })
    expect(call.cwd).not.toContain('b.txt')
    const again = await plan(id)
    expect(again).toMatchObject({ pushed: true, steps: [], existing: { number: 7, state: 'open', url: done.url } })
    expect(await open(id, agreed(again))).toMatchObject({ outcome: 'exists' })
    // New commits go to the one that is open.
    git(tree, 'commit', '--quiet', '--allow-empty', '--message=More')
    const more = await plan(id)
    expect(more.steps).toHaveLength(1)
    expect(await open(id, agreed(more))).toMatchObject({ outcome: 'updated', url: done.url })
    expect(git(bare, 'log', '-1', '--format=%s', branch)).toBe('More')
    const { events } = await harness.api.get<{ events: { type: string; data: { what?: string; detail?: string } }[] }>(
      `/api/audit?session=${id}&limit=500`,
    )
    expect(events.filter(({ type, data }) => type === 'session.steered' && data.what === 'pull_request')).toHaveLength(
      2,
    )
  })

  it('B16 exactly the planned words are run', async () => {
    const { id } = await committed()
    const words = { title: 'A title', body: 'A body', into: 'main', draft: true }
    const found = await plan(id, words)
    await open(id, { ...words, ...agreed(found) })
    const ran = (await calls()).at(-1)!
    expect([ran.tool, ...ran.args]).toEqual(found.steps.at(-1))
    expect(found.steps[0]).toEqual(['git', 'push', found.address, `${found.commit}:refs/heads/${found.branch}`])
    expect(found.steps.at(-1)).toContain('--draft')
  })

  it('B16 what changed since it was agreed to is refused, and nothing is pushed', async () => {
    const { id, tree, repo, bare } = await committed()
    const found = await plan(id)
    git(tree, 'commit', '--quiet', '--allow-empty', '--message=Sneaked in')
    const code = async () => (await harness.api.refused('POST', `/api/sessions/${id}/pull-request`, agreed(found))).code
    expect(await code()).toBe('change_moved')
    git(tree, 'reset', '--quiet', '--hard', found.commit)
    git(repo, 'remote', 'set-url', 'origin', 'https://github.com/acme/shop-elsewhere.git')
    git(folder, 'init', '--quiet', '--bare', join(folder, 'acme', 'shop-elsewhere.git'))
    expect(await code()).toBe('change_moved')
    expect(branchesOf(bare)).toEqual(['main'])
    expect(branchesOf(join(folder, 'acme', 'shop-elsewhere.git'))).toEqual([''])
  })

  it('B16 two at once open one', async () => {
    const { id } = await committed()
    const found = await plan(id)
    const done = await Promise.all([open(id, agreed(found)), open(id, agreed(found))])
    expect(done.map(({ outcome }) => outcome).toSorted()).toEqual(['exists', 'opened'])
  })

  it('B16 after a failure in between, or a restart, the next attempt opens it', async () => {
    const { id, bare, branch } = await committed()
    const found = await plan(id)
    await writeFile(join(folder, 'refuses'), 'base branch was modified')
    const failure = await harness.api.refused('POST', `/api/sessions/${id}/pull-request`, agreed(found))
    expect(failure).toMatchObject({ code: 'forge_tool_failed' })
    expect(failure.message).toContain('base branch was modified')
    expect(branchesOf(bare)).toContain(branch)
    await rm(join(folder, 'refuses'))
    await harness.server.restart()
    const again = await plan(id)
    expect(again).toMatchObject({ pushed: true, existing: null })
    expect(await open(id, agreed(again))).toMatchObject({ outcome: 'opened' })
  })

  it('B16 GitLab by glab, at a host that the configuration names', async () => {
    const { id, branch } = await committed({ remote: (name) => `https://user:secret@git.example.org/acme/${name}.git` })
    const found = await plan(id)
    expect(found).toMatchObject({ forge: 'gitlab' })
    expect(JSON.stringify(found)).not.toContain('secret')
    expect((await open(id, agreed(found))).outcome).toBe('opened')
    const { tool, args } = (await calls()).at(-1)!
    expect([tool, ...args.slice(0, 2)]).toEqual(['glab', 'mr', 'create'])
    expect(args).toEqual(expect.arrayContaining([`--source-branch=${branch}`, '--target-branch=main', '--yes']))
    expect((await plan(id)).existing).toMatchObject({ number: 7, state: 'open' })
  })

  it('B16 clear words when the tool is missing or not signed in, and for remotes that are no forge', async () => {
    const { id, repo } = await committed()
    await writeFile(join(folder, 'signed-out'), 'yes')
    const out = await refused(id)
    expect(out).toMatchObject({ code: 'forge_not_signed_in' })
    expect(out.hint).toContain('gh auth login --hostname github.com')
    await rm(join(folder, 'signed-out'))
    await rename(join(folder, 'bin', 'gh'), join(folder, 'bin', 'gh-away'))
    expect(await refused(id)).toMatchObject({ code: 'forge_tool_missing' })
    await rename(join(folder, 'bin', 'gh-away'), join(folder, 'bin', 'gh'))
    const codeAt = async (address: string) => {
      git(repo, 'config', 'remote.origin.url', address)
      return (await refused(id)).code
    }
    expect(await codeAt('https://git.elsewhere.example/acme/shop.git')).toBe('unknown_forge')
    for (const hostile of [
      `ext::sh -c "touch ${folder}/ran"`,
      `file://${folder}/acme/shop-1.git`,
      join(folder, 'acme', 'shop-1.git'),
      'ssh://-oProxyCommand=touch/acme/shop',
      '--upload-pack=touch',
      'https://github.com/acme/../shop',
    ])
      expect([hostile, await codeAt(hostile)]).toEqual([hostile, 'no_forge'])
    git(repo, 'remote', 'remove', 'origin')
    expect((await refused(id)).code).toBe('no_remote')
  })

  it('B16 what a workspace configures starts nothing: hooks, rewritten addresses, helpers', async () => {
    const { id, repo, bare, branch } = await committed()
    const trap = join(folder, 'trapped')
    await writeFile(join(repo, '.git', 'hooks', 'pre-push'), `#!/bin/sh\ntouch ${trap}\n`, { mode: 0o755 })
    git(repo, 'config', 'url.https://github.com/evil/.insteadOf', 'https://github.com/acme/')
    git(repo, 'config', 'core.sshCommand', `touch ${trap}`)
    git(repo, 'config', 'credential.helper', `!touch ${trap}`)
    git(repo, 'config', 'remote.origin.receivepack', `touch ${trap}; git-receive-pack`)
    const found = await plan(id)
    expect(found.address).not.toContain('evil')
    await open(id, agreed(found))
    expect(branchesOf(bare)).toContain(branch)
    await expect(readFile(trap)).rejects.toThrow()
  })

  it('B16 it needs the machine right, and the session', async () => {
    const repo = await committed()
    const other = await newPerson(harness.server, 'Ola')
    expect(await refused(repo.id, {}, other.api)).toMatchObject({ status: 404 })
    await harness.api.put(`/api/sessions/${repo.id}/delegates/${other.id}`)
    expect(await refused(repo.id, {}, other.api)).toMatchObject({ status: 403, code: 'needs_machine' })
    // Its change is on the branch itself.
    const { id } = await harness.start({ workspaceRoot: repo.repo })
    expect(await refused(id, { into: 'main' })).toMatchObject({ code: 'same_branch' })
  })

  it('B16 the command line shows what it will run, asks, and prints the link', async () => {
    const { id, bare, branch } = await committed()
    const shown = await harness.server.cli('pr', id, '--title', 'From a terminal')
    expect(shown).toMatchObject({ code: 2 })
    expect(shown.stdout).toMatch(/git push https:\/\/github\.com[^]*gh pr create .*'--title=From a terminal'/)
    expect(shown.stderr).toContain('--yes')
    expect(branchesOf(bare)).not.toContain(branch)
    const done = await harness.server.cli('pull-request', id, '--yes')
    expect(done.stdout).toContain('Opened: https://github.com/acme/shop/pull/7')
    const again = await harness.server.cli('pr', id)
    expect(again.stdout).toContain('It is open already: https://github.com/acme/shop/pull/7')
  })
})
