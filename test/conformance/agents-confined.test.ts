import { existsSync } from 'node:fs'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import {
  faultAgent,
  git,
  newRepo,
  openAgentsHarness,
  plainAgent,
  read,
  type AgentSession,
  type AgentsHarness,
} from './agents-harness.ts'
import type { Session } from './shapes.ts'

/** Allows the one command the agent asks for, and returns its output. */
async function run(harness: AgentsHarness, session: { id: string }, command: string): Promise<string> {
  const turn = await harness.prompt(session, `/run ${command}`)
  await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
  await harness.settled(turn)
  const { messages } = await harness.detail(session)
  return JSON.stringify(messages.findLast(({ content }) => content['type'] === 'tool')?.content['content'])
}

const startOf = async (harness: AgentsHarness, session: { id: string }) => {
  const { events } = await harness.api.get<{ events: { data: Record<string, unknown> }[] }>(
    `/api/audit?type=session.started&session=${session.id}`,
  )
  return events[0]?.data
}

describe('agents that run as you', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: plainAgent('placed', ['{workspace}/heard.log']) })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('A13 with none, the session, its start event and its agent’s state say so, with the resolved path', async () => {
    const real = await harness.workspace()
    await symlink(real, `${real}-link`)
    const session = await harness.start({ workspaceRoot: `${real}-link`, isolation: 'none' })
    expect(session).toMatchObject({ isolation: 'none', workspaceRoot: real })
    expect(await startOf(harness, session)).toMatchObject({ isolation: 'none', workspaceRoot: real })
    expect((await harness.detail(session)).agentState?.confinement).toBe(`none: runs as you in ${real}`)
  })

  it('A13 {workspace} in the arguments of an agent is its workspace', async () => {
    const session = await harness.start({ agent: 'placed' })
    expect(await read(session.workspaceRoot, 'heard.log')).toMatch(/initialize/)
  })

  it('A13 only what an agent needs is passed on from the server’s environment', async () => {
    await using other = await openAgentsHarness({ env: { SECRET_OF_THE_SERVER: 'x', AWS_SECRET_ACCESS_KEY: 'y' } })
    const said = await other.say(await other.start(), '/env')
    expect(said).toMatch(/variables:.*\bPATH\b/)
    expect(said).not.toMatch(/SECRET_OF_THE_SERVER|AWS_SECRET_ACCESS_KEY|SIGNALBOX_HOME|SIGNALBOX_DATABASE/)
  })
})

describe.runIf(sandboxWorks())('agents in the sandbox', () => {
  let harness: AgentsHarness
  let session: AgentSession
  beforeAll(async () => {
    harness = await openAgentsHarness()
    await writeFile(join(harness.home, 'private.txt'), 'for nobody else')
    session = await harness.start({ isolation: 'sandbox' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('A13 the sandbox is the default if it works, and is reported everywhere', async () => {
    const usual = await harness.api.post<AgentSession>('/api/sessions', { workspaceRoot: await harness.workspace() })
    expect(usual.isolation).toBe('sandbox')
    expect(session.isolation).toBe('sandbox')
    expect(await startOf(harness, session)).toMatchObject({
      isolation: 'sandbox',
      workspaceRoot: session.workspaceRoot,
    })
    const { agentState } = await harness.detail(session)
    expect(agentState?.confinement).toMatch(/^sandbox .*writable/)
    expect(agentState?.confinement).toContain(session.workspaceRoot)
  })

  it('A13 the workspace is writable for its edits and its commands', async () => {
    const turn = await harness.prompt(session, '/write a.txt Hello.')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    await run(harness, session, 'echo more >> a.txt')
    expect(await read(session.workspaceRoot, 'a.txt')).toBe('Hello.\nmore\n')
  })

  it('A13 its home is hidden, the system is read-only, other paths do not exist', async () => {
    const elsewhere = await harness.workspace()
    await writeFile(join(elsewhere, 'other.txt'), 'of another session')
    const looked = await run(
      harness,
      session,
      `cat ${harness.home}/private.txt ${elsewhere}/other.txt; ls ${harness.home}; echo looked`,
    )
    expect(looked).toContain('looked')
    expect(looked).not.toMatch(/for nobody else|of another session|private\.txt\\n/)
    await run(harness, session, `touch /usr/made /etc/made ${elsewhere}/made ${harness.home}/made`)
    expect(['/usr/made', '/etc/made', join(elsewhere, 'made'), join(harness.home, 'made')].filter(existsSync)).toEqual(
      [],
    )
  })

  it('A13 Signalbox’s data directory and sockets are invisible inside', async () => {
    const { home, socket } = harness.server
    expect(existsSync(join(home, 'signalbox.db'))).toBe(true)
    const looked = await run(
      harness,
      session,
      `ls ${home} ${home}/run; cat ${home}/signalbox.db; test -e ${socket} && echo there; echo looked`,
    )
    expect(looked).toContain('looked')
    expect(looked).not.toMatch(/signalbox\.db\\n|SQLite format|keeper\.sock|there\\n/)
  })

  it('A13 terminals we run for the agent are in the same sandbox', async () => {
    const turn = await harness.prompt(session, `/term cat ${harness.home}/private.txt; ls ${harness.server.home}; pwd`)
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.settled(turn)
    const said = await harness.said(session)
    expect(said).toContain(session.workspaceRoot)
    expect(said).not.toMatch(/for nobody else|signalbox\.db/)
  })

  it('A13 X4 the sandbox also applies to the continued session, and its conversation is resumed', async () => {
    const first = await harness.start({ isolation: 'sandbox' })
    await harness.say(first, '/remember inside')
    const next = await harness.api.post<AgentSession>(`/api/sessions/${first.id}/restart`, {})
    expect(next.isolation).toBe('sandbox')
    expect(await harness.say(next, '/recall')).toBe('I remember: inside')
  })

  it('X9 nothing outlives the session, not even what left its process group', async () => {
    const first = await harness.start({ isolation: 'sandbox' })
    await run(harness, first, 'setsid sleep 1000 >/dev/null 2>&1 & echo started')
    expect(harness.running(first).length).toBeGreaterThan(1)
    await harness.api.delete(`/api/sessions/${first.id}`)
    await until(() => harness.running(first).length === 0, { what: 'the end of everything' })
  })

  it('B13 a worktree works inside the sandbox, commits included', async () => {
    const repo = await newRepo(harness)
    const first = await harness.start({ repoId: repo.id, worktree: true, isolation: 'sandbox' })
    const said = await run(
      harness,
      first,
      'echo in > tree.txt && git add . && git -c user.name=T -c user.email=t@localhost commit --quiet -m made && git log --format=%s',
    )
    expect(said).toMatch(/made\\nfirst/)
    const { agentState } = await harness.detail(first)
    expect(git(repo.path, 'log', '--format=%s', agentState!.worktree!.branch)).toBe('made\nfirst\n')
  })
})

describe('worktrees', () => {
  let harness: AgentsHarness
  let repo: { id: string; path: string }
  beforeAll(async () => {
    harness = await openAgentsHarness()
    repo = await newRepo(harness)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const inTree = (more = {}) => harness.start({ repoId: repo.id, worktree: true, ...more })
  const trees = () => git(repo.path, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length ?? 0
  const branches = () => git(repo.path, 'branch', '--format=%(refname:short)').trim().split('\n')

  it('B13 two sessions in one repo do not collide, each on its own branch', async () => {
    const [one, two] = [await inTree(), await inTree()]
    expect(new Set([one.workspaceRoot, two.workspaceRoot, repo.path]).size).toBe(3)
    for (const [session, text] of [
      [one, 'from one'],
      [two, 'from two'],
    ] as const) {
      const turn = await harness.prompt(session, `/write same.txt ${text}`)
      await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
      await harness.settled(turn)
    }
    expect([await read(one.workspaceRoot, 'same.txt'), await read(two.workspaceRoot, 'same.txt')]).toEqual([
      'from one\n',
      'from two\n',
    ])
    expect(existsSync(join(repo.path, 'same.txt'))).toBe(false)
    const worktree = (await harness.detail(one)).agentState?.worktree
    expect(worktree).toEqual({
      path: one.workspaceRoot,
      branch: expect.stringMatching(/^signalbox\//),
      repo: repo.path,
      from: { branch: 'main', commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
    })
    expect(branches()).toContain(worktree?.branch)
    expect(one.repoId).toBe(repo.id)
    // Uncommitted work is never lost.
    await harness.api.post(`/api/sessions/${one.id}/complete`)
    await until(() => harness.running(one).length === 0)
    await until(() => harness.server.log().includes('a worktree was kept'), { what: 'the worktree kept' })
    expect(await read(one.workspaceRoot, 'same.txt')).toBe('from one\n')
  })

  it('B13 a worktree without work is removed with its session and branch; continuing brings it back', async () => {
    const before = trees()
    const session = await inTree()
    const branch = (await harness.detail(session)).agentState!.worktree!.branch
    await harness.say(session, '/remember the tree')
    expect(trees()).toBe(before + 1)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    expect(existsSync(session.workspaceRoot)).toBe(false)
    expect(trees()).toBe(before)
    expect(branches()).not.toContain(branch)
    const next = await harness.api.post<Session>(`/api/sessions/${session.id}/restart`, {})
    expect(await harness.say(next, '/recall')).toBe('I remember: the tree')
    expect(existsSync(next.workspaceRoot)).toBe(true)
    await harness.prompt(next, '/crash')
    await harness.become(next, 'error')
    await until(() => !existsSync(next.workspaceRoot), { what: 'the worktree gone with the crash' })
  })

  it('B13 X4 a restart continues in the same worktree, which stays while it is in use', async () => {
    const old = await inTree()
    const next = await harness.api.post<Session>(`/api/sessions/${old.id}/restart`, {})
    expect(next.workspaceRoot).toBe(old.workspaceRoot)
    await until(() => harness.running(old).length === 0, { what: 'the end of the old agent' })
    const turn = await harness.prompt(next, '/run pwd && git status --short')
    await harness.answer(await harness.openAsk(next), { outcome: 'approve' })
    await harness.settled(turn)
    expect(await harness.said(next)).toMatch(/: done$/)
    expect(existsSync(next.workspaceRoot)).toBe(true)
    await harness.api.post(`/api/sessions/${next.id}/complete`)
    expect(existsSync(next.workspaceRoot)).toBe(false)
  })

  it('B13 a start that fails leaves no worktree behind', async () => {
    await using other = await openAgentsHarness({
      config: `[agents.nowhere]\ncommand = "no-such-program-anywhere"\n[acp]\nmax_sessions = 1\n${faultAgent('badinit')}`,
    })
    const own = await newRepo(other)
    const count = () => git(own.path, 'worktree', 'list').trim().split('\n').length
    for (const agent of ['nowhere', 'badinit']) {
      await other.api.refused('POST', '/api/sessions', { agent, repoId: own.id, worktree: true })
      await until(() => count() === 1, { what: `no worktree after ${agent}` })
    }
    await other.start({ prompt: '/stall' })
    expect((await other.api.refused('POST', '/api/sessions', { repoId: own.id, worktree: true })).status).toBe(429)
    await until(() => count() === 1, { what: 'no worktree' })
  })

  it('B13 a directory that is not a repository can’t have a worktree', async () => {
    const place = await harness.workspace()
    await mkdir(join(place, 'sub'))
    const refusal = await harness.api.refused('POST', '/api/sessions', { workspaceRoot: place, worktree: true })
    expect(refusal.status).toBe(400)
    expect(await readdir(place)).toEqual(['sub'])
  })
})
