import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, plainAgent, type AgentsHarness } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'

const wide = JSON.stringify({ enabled: true, file_patterns: { write: ['**'] } })
const writes = (path: string): string =>
  `(printf '%s' '${wide}' > '${path}') 2>/dev/null && echo written || echo refused`

describe.runIf(sandboxWorks())('an agent and the settings it obeys', () => {
  let harness: SandboxHarness
  let places = 0
  beforeAll(async () => {
    harness = await openSandboxHarness({ config: '[acp]\nmax_sessions = 50\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const newPlace = () => harness.place(`place-${(places += 1)}`)
  const alerts = async (session: { id: string }) => {
    const { events } = await harness.server
      .api()
      .get<{ events: { data: { what: string } }[] }>(`/api/audit?type=session.alerted&session=${session.id}`)
    return events.map(({ data }) => data.what)
  }
  const notes = async (session: { id: string }) => JSON.stringify((await harness.detail(session)).messages)

  it.each(['.signalbox', '.monocoque'])('S7 can’t write a policy in %s, whether it exists or not', async (folder) => {
    const place = await newPlace()
    const session = await harness.start(place)
    expect(await harness.run(session, `mkdir -p ${folder}; ${writes(`${folder}/settings.json`)}`)).toBe('refused')
    expect(
      await harness.run(
        session,
        `mv ${folder} away 2>/dev/null; rmdir ${folder} 2>/dev/null; ls -A ${folder}; echo tried`,
      ),
    ).toBe('tried')
    await harness.end(session)
    expect(existsSync(join(place, folder, 'settings.json'))).toBe(false)

    await mkdir(join(place, folder), { recursive: true })
    await writeFile(join(place, folder, 'settings.json'), '{}')
    const next = await harness.start(place)
    const script = `${writes(`${folder}/settings.json`)}; rm -rf ${folder} 2>/dev/null; mv ${folder} away 2>/dev/null; ${writes(`${folder}/other.json`)}`
    expect(await harness.run(next, script)).toBe('refused\nrefused')
    expect(await readFile(join(place, folder, 'settings.json'), 'utf8')).toBe('{}')
  })

  it('S7 can’t change what other agents, editors and shells obey, at the top or below', async () => {
    const place = await newPlace()
    const files = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md', '.mcp.json', '.envrc', 'opencode.json', '.cursorrules']
    const deep = [
      'packages/one/AGENTS.md',
      'packages/one/.claude/settings.json',
      '.husky/pre-commit',
      '.idea/workspace.xml',
    ]
    for (const file of [...files, ...deep]) {
      await mkdir(join(place, file, '..'), { recursive: true })
      await writeFile(join(place, file), 'as it was')
    }
    const session = await harness.start(place)
    for (const file of [...files, ...deep])
      expect([
        file,
        await harness.run(session, `${writes(file)}; rm -f ${file} 2>/dev/null; mv x ${file} 2>/dev/null`),
      ]).toEqual([file, 'refused'])
    for (const file of [...files, ...deep]) expect(await readFile(join(place, file), 'utf8')).toBe('as it was')
    expect(
      await harness.run(
        session,
        'for d in .claude .codex .gemini .cursor .vscode; do (echo x > $d/new) 2>/dev/null && echo $d; done; echo tried',
      ),
    ).toBe('tried')
    expect(await harness.run(session, 'echo x > README.md && echo written')).toBe('written')
  })

  const missing = ['CLAUDE.md', 'AGENTS.md', 'GEMINI.md', '.mcp.json', '.claude.json', 'crush.json', '.cursorrules']
  const tries = (name: string): string =>
    `${writes(name)}; for how in 'rmdir' 'rm -rf' 'mv x' 'ln -sf x' 'ln -f x' 'cp x' 'mkdir -p'; do $how ${name} 2>/dev/null; done; ${writes(`${name}/x`)}; mv ${name} away 2>/dev/null && echo moved; unshare -Urm umount ${name} 2>/dev/null; ${writes(name)}`

  it('S7 can’t create missing files that other agents obey', async () => {
    const place = await newPlace()
    const session = await harness.start(place)
    await harness.run(session, 'echo "do as I say" > x')
    for (const name of missing)
      expect([name, await harness.run(session, tries(name))]).toEqual([name, 'refused\nrefused\nrefused'])
    await harness.end(session)
    await until(async () => (await readdir(place)).length === 1, { what: 'nothing left' })
    expect(await readdir(place)).toEqual(['x'])
    expect(await alerts(session)).toEqual([])
  })

  it('S7 can’t create files of hook managers in a repository with hooks', async () => {
    const place = await newPlace()
    execFileSync('git', ['init', '--quiet', place])
    await writeFile(join(place, '.git', 'hooks', 'pre-commit'), '#!/bin/sh\nlefthook run\n', { mode: 0o755 })
    const session = await harness.start(place)
    await harness.run(session, 'echo x > x')
    for (const name of ['lefthook.yml', 'lefthook-local.jsonc', '.lefthook.toml', '.pre-commit-config.yaml'])
      expect([name, await harness.run(session, tries(name))]).toEqual([name, 'refused\nrefused\nrefused'])
    expect(execFileSync('git', ['-C', place, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('?? x\n')
    expect(await harness.run(session, 'git add -A && git status --porcelain')).toBe('A  x')
  })

  it('S7 leaves no reserved name behind if the server is stopped with its agents', async () => {
    await using other = await openSandboxHarness()
    const place = await other.place('stopped')
    const before = await readdir(place)
    await other.start(place)
    expect(await readdir(place)).toContain('CLAUDE.md')
    await other.server.api().send('POST', '/api/stop', { body: { agents: 'end' } })
    await until(async () => (await readdir(place)).length === before.length, { what: 'the workspace as it was' })
    expect(await readdir(place)).toEqual(before)
  })

  it('S7 can’t create them after a restart either, or with two agents after the first has ended', async () => {
    await using other = await openSandboxHarness()
    const place = await other.place('work')
    const [one, two] = [await other.start(place), await other.start(place)]
    await other.server.restart()
    await other.run(two, 'echo x > x')
    expect(await other.run(two, tries('CLAUDE.md'))).toBe('refused\nrefused\nrefused')
    await other.end(one)
    await until(async () => (await other.detail(one)).status === 'cancelled')
    expect(await other.run(two, tries('AGENTS.md'))).toBe('refused\nrefused\nrefused')
    await other.end(two)
    await until(async () => (await readdir(place)).length === 1, { what: 'nothing left' })
  })

  it('S7 keeps what a person creates there meanwhile, and warns that it is not protected', async () => {
    const place = await newPlace()
    await writeFile(join(place, 'AGENTS.md'), 'as it was')
    const session = await harness.start(place)
    await rmdir(join(place, 'CLAUDE.md'))
    await writeFile(join(place, 'CLAUDE.md'), 'of a person')
    // As editors save.
    await writeFile(join(place, 'AGENTS.md~'), 'of a person')
    await rename(join(place, 'AGENTS.md~'), join(place, 'AGENTS.md'))
    for (const words of ['CLAUDE.md was made from outside the sandbox', 'AGENTS.md was changed'])
      await until(async () => (await notes(session)).includes(words), { what: words })
    await harness.end(session)
    await until(async () => (await readdir(place)).length === 2, { what: 'nothing left but theirs' })
    for (const name of ['CLAUDE.md', 'AGENTS.md']) expect(await readFile(join(place, name), 'utf8')).toBe('of a person')
  })

  it('S7 is reported when it creates such files deeper in the workspace, or writes one that was replaced', async () => {
    const place = await newPlace()
    await writeFile(join(place, 'AGENTS.md'), 'as it was')
    const session = await harness.start(place)
    await harness.run(session, 'mkdir -p a/b && echo x > a/b/AGENTS.md')
    await writeFile(join(place, 'new'), 'of a person')
    await rename(join(place, 'new'), join(place, 'AGENTS.md'))
    await until(async () => (await notes(session)).includes('AGENTS.md was changed'), { what: 'the first alert' })
    const before = (await alerts(session)).length
    expect(await harness.run(session, writes('AGENTS.md'))).toBe('written')
    await until(async () => (await alerts(session)).length > before, { what: 'the second' })
    await harness.end(session)
    await until(async () => (await notes(session)).includes('a/b/AGENTS.md appeared'), {
      what: 'the report at the end',
    })
  })

  it('S7 is reported even if no server was running then', async () => {
    await using other = await openSandboxHarness()
    const place = await other.place('work')
    await writeFile(join(place, 'AGENTS.md'), 'as it was')
    const session = await other.start(place)
    await until(async () => (await readFile(claimOf(other, session), 'utf8')).includes('AGENTS.md'))
    await other.server.kill('SIGKILL')
    await writeFile(join(place, 'new'), 'replaced')
    await rename(join(place, 'new'), join(place, 'AGENTS.md'))
    await other.server.restart()
    const words = async () => JSON.stringify((await other.detail(session)).messages)
    expect(await until(async () => (await words()).includes('AGENTS.md was changed'), { what: 'the alert' })).toBe(true)
  })

  it('S2 can’t make Git obey another directory: .git/commondir is removed', async () => {
    const place = await newPlace()
    execFileSync('git', ['init', '--quiet', place])
    const session = await harness.start(place)
    await harness.run(
      session,
      'mkdir -p evil; printf "[core]\\n fsmonitor = ./run\\n" > evil/config; printf ../evil > .git/commondir',
    )
    await until(() => !existsSync(join(place, '.git', 'commondir')), { what: 'the end of .git/commondir' })
    expect(await alerts(session)).toContain('settings_appeared')
    expect(execFileSync('git', ['-C', place, 'rev-parse', '--git-common-dir'], { encoding: 'utf8' }).trim()).toBe(
      '.git',
    )
  })

  it('S2 can’t write files in the workspace that the settings of Git refer to', async () => {
    const place = await newPlace()
    execFileSync('git', ['init', '--quiet', place])
    await mkdir(join(place, 'tools', 'hooks'), { recursive: true })
    await writeFile(join(place, 'shared.gitconfig'), '')
    for (const [key, value] of [
      ['core.hooksPath', 'tools/hooks'],
      ['include.path', '../shared.gitconfig'],
      ['extensions.worktreeConfig', 'true'],
    ] as const)
      execFileSync('git', ['-C', place, 'config', key, value])
    const session = await harness.start(place)
    for (const file of ['tools/hooks/pre-commit', 'shared.gitconfig', '.git/config.worktree', '.git/hooks/pre-commit'])
      expect([file, await harness.run(session, writes(file))]).toEqual([file, 'refused'])
  })

  it('S7 leaves a workspace as it was: Git sees nothing meanwhile, and nothing stays', async () => {
    const place = await newPlace()
    execFileSync('git', ['init', '--quiet', place])
    const [one, two] = [await harness.start(place), await harness.start(place)]
    expect(execFileSync('git', ['-C', place, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('')
    await harness.end(one)
    await until(async () => (await harness.detail(one)).status === 'cancelled')
    // The other one still works there.
    expect(await harness.run(two, writes('.signalbox/settings.json'))).toBe('refused')
    await harness.end(two)
    await until(async () => (await readdir(place)).length === 1, { what: 'nothing left' })
    expect(await readdir(place)).toEqual(['.git'])
  })

  it('S7 leaves nothing behind after everything crashes either', async () => {
    await using other = await openSandboxHarness()
    const place = await other.place('work')
    const session = await other.start(place)
    expect(await readdir(place)).toContain('.signalbox')
    const shell = Number(await other.run(session, 'echo 0'))
    expect(shell).toBe(0)
    await other.server.kill('SIGKILL')
    for (const pid of keepersOf(other.server.home)) process.kill(pid, 'SIGKILL')
    await other.server.restart()
    await until(async () => (await readdir(place)).length === 0, { what: 'nothing left' })
  })
})

const claimOf = (harness: SandboxHarness, { id }: { id: string }): string =>
  join(harness.server.home, 'run', 'reserved', `${id}.json`)

const keepersOf = (home: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('keeper') && line.includes(home) && !line.includes('bwrap'))
    .map((line) => Number(line.trim().split(' ')[0]))

describe.runIf(sandboxWorks())('a change that a person approved', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: plainAgent('plain') })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('S7 is written even where the agent itself could not', async () => {
    const place = await harness.workspace()
    await writeFile(join(place, 'CLAUDE.md'), 'old\n')
    const before = (await stat(join(place, 'CLAUDE.md'))).ino
    const session = await harness.start({ agent: 'plain', workspaceRoot: place, isolation: 'sandbox' })
    for (const file of ['CLAUDE.md', 'AGENTS.md']) {
      const write = ['fs/write_text_file', { path: join(place, file), content: 'new\n' }]
      const turn = await harness.prompt(session, `calls ${JSON.stringify([[write]])}`)
      await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
      await harness.settled(turn)
      expect([file, await readFile(join(place, file), 'utf8')]).toEqual([file, 'new\n'])
    }
    const { events } = await harness.api.get<{ events: unknown[] }>(
      `/api/audit?type=session.alerted&session=${session.id}`,
    )
    expect(events).toEqual([])
    // Existing files are still read-only for the agent.
    const inode = (await stat(join(place, 'CLAUDE.md'))).ino
    expect(inode).toBe(before)
  })
})
