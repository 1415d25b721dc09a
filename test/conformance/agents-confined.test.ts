import { existsSync } from 'node:fs'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import { faultAgent, git, newRepo, openYard, plainAgent, read, type AgentSession, type Yard } from './agents-yard.ts'
import type { Session } from './shapes.ts'

/** Allows the one command the agent asks for, and gives what it printed. */
async function run(yard: Yard, session: { id: string }, command: string): Promise<string> {
  const turn = await yard.prompt(session, `/run ${command}`)
  await yard.answer(await yard.openAsk(session), { outcome: 'approve' })
  await yard.settled(turn)
  const { messages } = await yard.detail(session)
  return JSON.stringify(messages.findLast(({ content }) => content['type'] === 'tool')?.content['content'])
}

const startOf = async (yard: Yard, session: { id: string }) => {
  const { events } = await yard.api.get<{ events: { data: Record<string, unknown> }[] }>(
    `/api/audit?type=session.started&session=${session.id}`,
  )
  return events[0]?.data
}

describe('agents that run as you', () => {
  let yard: Yard
  beforeAll(async () => {
    yard = await openYard({ config: plainAgent('placed', ['{workspace}/heard.log']) })
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  it('A13 with none the session, its start event and its agent’s state say so, with the resolved path', async () => {
    const real = await yard.workspace()
    await symlink(real, `${real}-link`)
    const session = await yard.start({ workspaceRoot: `${real}-link`, isolation: 'none' })
    expect(session).toMatchObject({ isolation: 'none', workspaceRoot: real })
    expect(await startOf(yard, session)).toMatchObject({ isolation: 'none', workspaceRoot: real })
    expect((await yard.detail(session)).agentState?.confinement).toBe(`none: runs as you in ${real}`)
  })

  it('A13 {workspace} in the arguments of an agent is its workspace', async () => {
    const session = await yard.start({ agent: 'placed' })
    expect(await read(session.workspaceRoot, 'heard.log')).toMatch(/initialize/)
  })

  it('A13 of the server’s surroundings only what an agent needs goes along', async () => {
    await using other = await openYard({ env: { SECRET_OF_THE_SERVER: 'x', AWS_SECRET_ACCESS_KEY: 'y' } })
    const said = await other.say(await other.start(), '/env')
    expect(said).toMatch(/variables:.*\bPATH\b/)
    expect(said).not.toMatch(/SECRET_OF_THE_SERVER|AWS_SECRET_ACCESS_KEY|SIGNALBOX_HOME|SIGNALBOX_DATABASE/)
  })
})

describe.runIf(sandboxWorks())('agents in the sandbox', () => {
  let yard: Yard
  let session: AgentSession
  beforeAll(async () => {
    yard = await openYard()
    await writeFile(join(yard.home, 'private.txt'), 'for nobody else')
    session = await yard.start({ isolation: 'sandbox' })
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  it('A13 the sandbox is the default where it works, and everything says that it is in force', async () => {
    const usual = await yard.api.post<AgentSession>('/api/sessions', { workspaceRoot: await yard.workspace() })
    expect(usual.isolation).toBe('sandbox')
    expect(session.isolation).toBe('sandbox')
    expect(await startOf(yard, session)).toMatchObject({ isolation: 'sandbox', workspaceRoot: session.workspaceRoot })
    const { agentState } = await yard.detail(session)
    expect(agentState?.confinement).toMatch(/^sandbox .*writable/)
    expect(agentState?.confinement).toContain(session.workspaceRoot)
  })

  it('A13 the workspace is writable, for its edits and its commands', async () => {
    const turn = await yard.prompt(session, '/write a.txt Hello.')
    await yard.answer(await yard.openAsk(session), { outcome: 'approve' })
    await yard.settled(turn)
    await run(yard, session, 'echo more >> a.txt')
    expect(await read(session.workspaceRoot, 'a.txt')).toBe('Hello.\nmore\n')
  })

  it('A13 its home is hidden, the system is read-only, other places are not there', async () => {
    const elsewhere = await yard.workspace()
    await writeFile(join(elsewhere, 'other.txt'), 'of another session')
    const looked = await run(
      yard,
      session,
      `cat ${yard.home}/private.txt ${elsewhere}/other.txt; ls ${yard.home}; echo looked`,
    )
    expect(looked).toContain('looked')
    expect(looked).not.toMatch(/for nobody else|of another session|private\.txt\\n/)
    await run(yard, session, `touch /usr/made /etc/made ${elsewhere}/made ${yard.home}/made`)
    expect(['/usr/made', '/etc/made', join(elsewhere, 'made'), join(yard.home, 'made')].filter(existsSync)).toEqual([])
  })

  it('A13 data directory and sockets of Signalbox are invisible inside', async () => {
    const { home, socket } = yard.server
    expect(existsSync(join(home, 'signalbox.db'))).toBe(true)
    const looked = await run(
      yard,
      session,
      `ls ${home} ${home}/run; cat ${home}/signalbox.db; test -e ${socket} && echo there; echo looked`,
    )
    expect(looked).toContain('looked')
    expect(looked).not.toMatch(/signalbox\.db\\n|SQLite format|keeper\.sock|there\\n/)
  })

  it('A13 terminals the agent has us run are in the same sandbox', async () => {
    const turn = await yard.prompt(session, `/term cat ${yard.home}/private.txt; ls ${yard.server.home}; pwd`)
    await yard.answer(await yard.openAsk(session), { outcome: 'approve' })
    await yard.settled(turn)
    const said = await yard.said(session)
    expect(said).toContain(session.workspaceRoot)
    expect(said).not.toMatch(/for nobody else|signalbox\.db/)
  })

  it('A13 X4 the sandbox stays in force for the session that goes on, and its conversation is resumed', async () => {
    const first = await yard.start({ isolation: 'sandbox' })
    await yard.say(first, '/remember inside')
    const next = await yard.api.post<AgentSession>(`/api/sessions/${first.id}/restart`, {})
    expect(next.isolation).toBe('sandbox')
    expect(await yard.say(next, '/recall')).toBe('I remember: inside')
  })

  it('X9 nothing outlives the session, what left its process group included', async () => {
    const first = await yard.start({ isolation: 'sandbox' })
    await run(yard, first, 'setsid sleep 1000 >/dev/null 2>&1 & echo started')
    expect(yard.running(first).length).toBeGreaterThan(1)
    await yard.api.delete(`/api/sessions/${first.id}`)
    await until(() => yard.running(first).length === 0, { what: 'the end of everything' })
  })

  it('B13 a worktree works inside the sandbox, commits included', async () => {
    const repo = await newRepo(yard)
    const first = await yard.start({ repoId: repo.id, worktree: true, isolation: 'sandbox' })
    const said = await run(
      yard,
      first,
      'echo in > tree.txt && git add . && git -c user.name=T -c user.email=t@localhost commit --quiet -m made && git log --format=%s',
    )
    expect(said).toMatch(/made\\nfirst/)
    const { agentState } = await yard.detail(first)
    expect(git(repo.path, 'log', '--format=%s', agentState!.worktree!.branch)).toBe('made\nfirst\n')
  })
})

describe('worktrees', () => {
  let yard: Yard
  let repo: { id: string; path: string }
  beforeAll(async () => {
    yard = await openYard()
    repo = await newRepo(yard)
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  const inTree = (more = {}) => yard.start({ repoId: repo.id, worktree: true, ...more })
  const trees = () => git(repo.path, 'worktree', 'list', '--porcelain').match(/^worktree /gm)?.length ?? 0
  const branches = () => git(repo.path, 'branch', '--format=%(refname:short)').trim().split('\n')

  it('B13 two sessions in one repo do not collide, each on a branch of its own', async () => {
    const [one, two] = [await inTree(), await inTree()]
    expect(new Set([one.workspaceRoot, two.workspaceRoot, repo.path]).size).toBe(3)
    for (const [session, text] of [
      [one, 'from one'],
      [two, 'from two'],
    ] as const) {
      const turn = await yard.prompt(session, `/write same.txt ${text}`)
      await yard.answer(await yard.openAsk(session), { outcome: 'approve' })
      await yard.settled(turn)
    }
    expect([await read(one.workspaceRoot, 'same.txt'), await read(two.workspaceRoot, 'same.txt')]).toEqual([
      'from one\n',
      'from two\n',
    ])
    expect(existsSync(join(repo.path, 'same.txt'))).toBe(false)
    const worktree = (await yard.detail(one)).agentState?.worktree
    expect(worktree).toEqual({
      path: one.workspaceRoot,
      branch: expect.stringMatching(/^signalbox\//),
      repo: repo.path,
    })
    expect(branches()).toContain(worktree?.branch)
    expect(one.repoId).toBe(repo.id)
    // What is not committed is never lost.
    await yard.api.post(`/api/sessions/${one.id}/complete`)
    await until(() => yard.running(one).length === 0)
    await until(() => yard.server.log().includes('a worktree was kept'), { what: 'the worktree kept' })
    expect(await read(one.workspaceRoot, 'same.txt')).toBe('from one\n')
  })

  it('B13 a worktree without work in it is removed with its session, and its branch; continuing brings it back', async () => {
    const before = trees()
    const session = await inTree()
    const branch = (await yard.detail(session)).agentState!.worktree!.branch
    await yard.say(session, '/remember the tree')
    expect(trees()).toBe(before + 1)
    await yard.api.post(`/api/sessions/${session.id}/complete`)
    expect(existsSync(session.workspaceRoot)).toBe(false)
    expect(trees()).toBe(before)
    expect(branches()).not.toContain(branch)
    const next = await yard.api.post<Session>(`/api/sessions/${session.id}/restart`, {})
    expect(await yard.say(next, '/recall')).toBe('I remember: the tree')
    expect(existsSync(next.workspaceRoot)).toBe(true)
    await yard.prompt(next, '/crash')
    await yard.become(next, 'error')
    await until(() => !existsSync(next.workspaceRoot), { what: 'the worktree gone with the crash' })
  })

  it('B13 X4 a restart goes on in the same worktree, which stays while it is at work', async () => {
    const old = await inTree()
    const next = await yard.api.post<Session>(`/api/sessions/${old.id}/restart`, {})
    expect(next.workspaceRoot).toBe(old.workspaceRoot)
    await until(() => yard.running(old).length === 0, { what: 'the end of the old agent' })
    const turn = await yard.prompt(next, '/run pwd && git status --short')
    await yard.answer(await yard.openAsk(next), { outcome: 'approve' })
    await yard.settled(turn)
    expect(await yard.said(next)).toMatch(/: done$/)
    expect(existsSync(next.workspaceRoot)).toBe(true)
    await yard.api.post(`/api/sessions/${next.id}/complete`)
    expect(existsSync(next.workspaceRoot)).toBe(false)
  })

  it('B13 a start that fails leaves no worktree behind', async () => {
    await using other = await openYard({
      config: `[agents.nowhere]\ncommand = "no-such-program-anywhere"\n[acp]\nmax_sessions = 1\n${faultAgent('badinit')}`,
    })
    const own = await newRepo(other)
    const count = () => git(own.path, 'worktree', 'list').trim().split('\n').length
    for (const agent of ['nowhere', 'badinit']) {
      await other.api.refused('POST', '/api/sessions', { agent, repoId: own.id, worktree: true })
      await until(() => count() === 1, { what: `no worktree after ${agent}` })
    }
    await other.start()
    expect((await other.api.refused('POST', '/api/sessions', { repoId: own.id, worktree: true })).status).toBe(429)
    await until(() => count() === 1, { what: 'no worktree' })
  })

  it('B13 a place that is no repository can have none', async () => {
    const place = await yard.workspace()
    await mkdir(join(place, 'sub'))
    const refusal = await yard.api.refused('POST', '/api/sessions', { workspaceRoot: place, worktree: true })
    expect(refusal.status).toBe(400)
    expect(await readdir(place)).toEqual(['sub'])
  })
})
