import { randomUUID } from 'node:crypto'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databases } from '../support/server.ts'
import { until } from '../support/until.ts'
import {
  faultAgent,
  newRepo,
  notesOf,
  openAgentsHarness,
  read,
  slowAgent,
  type AgentSession,
  type AgentsHarness,
} from './agents-harness.ts'
import { newPerson } from './people.ts'
import type { Session, SessionPage } from './shapes.ts'
import { newAgent, newToken, nobody } from './work.ts'

const starts = ['badinit', 'badnew', 'exitatstart']

describe('starting agents', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({
      config: [
        '[acp]\nmax_sessions = 1000\n',
        ...starts.map(faultAgent),
        '[agents.nowhere]\ncommand = "no-such-program-anywhere"\nisolation = "none"\n',
      ].join('\n'),
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const total = async () => (await harness.api.get<SessionPage>('/api/sessions')).total

  it('A1 returns 201 with the session, active once the agent’s own session exists', async () => {
    const repo = await newRepo(harness)
    const reply = await harness.api.send('POST', '/api/sessions', {
      body: { repoId: repo.id, agent: 'practice', prompt: '/say Hello.' },
    })
    expect(reply.status).toBe(201)
    const session = reply.body as AgentSession
    expect(session).toMatchObject({
      id: expect.any(String),
      repoId: repo.id,
      agent: 'practice',
      status: 'active',
      protocolMode: 'acp',
      workspaceRoot: repo.path,
      prompt: '/say Hello.',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    const { agentState } = await harness.detail(session)
    expect(agentState).toMatchObject({ agentSessionId: expect.any(String), agentInfo: { name: expect.any(String) } })
    await harness.saying(session, 'Hello.')
    const [pid] = harness.running(session)
    // Anyone on the machine can read a program's arguments.
    expect(await read('/proc', String(pid), 'cmdline')).not.toContain('Hello.')
  })

  it('A1 without an agent, starts the default one; acp is the default protocol', async () => {
    const session = await harness.api.post<Session>('/api/sessions', { workspaceRoot: await harness.workspace() })
    expect(session).toMatchObject({ agent: 'practice', protocolMode: 'acp', status: 'active' })
  })

  it('A1 an unknown agent is refused with the list of known ones, and leaves no row', async () => {
    const before = await total()
    const refusal = await harness.api.refused('POST', '/api/sessions', { agent: 'nobody', workspaceRoot: harness.home })
    expect(refusal).toMatchObject({ status: 400, code: 'unknown_agent', hint: expect.stringContaining('practice') })
    expect(await total()).toBe(before)
  })

  it('A1 an unknown repo is a 404, and so is a missing workspace', async () => {
    expect((await harness.api.refused('POST', '/api/sessions', { repoId: nobody() })).status).toBe(404)
    const missing = { workspaceRoot: join(harness.home, 'nothing-here') }
    expect((await harness.api.refused('POST', '/api/sessions', missing)).status).toBe(404)
  })

  it('A1 a missing program gives 502 agent_unavailable with what to do, and no row', async () => {
    const before = await total()
    const refusal = await harness.api.refused('POST', '/api/sessions', {
      agent: 'nowhere',
      workspaceRoot: await harness.workspace(),
    })
    expect(refusal).toMatchObject({ status: 502, code: 'agent_unavailable' })
    expect(refusal.message).toContain('no-such-program-anywhere')
    expect(await total()).toBe(before)
  })

  it.each([
    ['badinit', /engine does not start/],
    ['badnew', /login \(Sign in\)/],
    ['exitatstart', /with code 1[^]*giving up/],
  ])('A1 %s gives 502 with the id of a session in error, its reason, and no process', async (agent, words) => {
    const workspaceRoot = await harness.workspace()
    const refusal = await harness.api.refused('POST', '/api/sessions', { agent, workspaceRoot, prompt: 'never said' })
    expect(refusal).toMatchObject({
      status: 502,
      code: 'agent_failed',
      message: expect.stringMatching(words),
      details: { sessionId: expect.any(String) },
    })
    const id = String(refusal.details?.['sessionId'])
    const session = await harness.detail({ id })
    expect(session.status).toBe('error')
    expect(notesOf(session.messages).join('\n')).toMatch(words)
    expect(session.messages.filter(({ role }) => role === 'user')).toEqual([])
    expect(harness.running({ id })).toEqual([])
  })

  it('X7 an agent that needs a login is refused with the methods it offers; one of them can be named', async () => {
    const workspaceRoot = await harness.workspace()
    const refusal = await harness.api.refused('POST', '/api/sessions', { agent: 'badnew', workspaceRoot })
    expect(refusal.details?.['authMethods']).toEqual([
      { id: 'login', name: 'Sign in', description: 'Sign in with the vendor' },
    ])
    expect(refusal.hint).toMatch(/auth_method/)
    const named = await harness.api.refused('POST', '/api/sessions', {
      agent: 'badnew',
      workspaceRoot,
      authMethod: 'login',
    })
    // It signs in, and is still refused: so the method was used.
    expect(named).toMatchObject({ status: 502, code: 'agent_failed', message: expect.stringMatching(/open a session/) })
  })

  it('A1 started twice with the same id, the first keeps running', async () => {
    const id = randomUUID()
    const first = await harness.start({ id })
    const again = await harness.api.refused('POST', '/api/sessions', {
      id,
      agent: 'practice',
      workspaceRoot: first.workspaceRoot,
    })
    expect(again).toMatchObject({ status: 409, code: 'session_already_exists' })
    expect(await harness.say(first, '/say Still here.')).toBe('Still here.')
  })

  it('A1 S1 only a person starts agents, and choosing workspace and isolation requires the machine right', async () => {
    const before = await total()
    const repo = await newRepo(harness)
    const member = await newPerson(harness.server, 'Mel')
    const agent = await newAgent(harness.server)
    const reader = harness.server.api((await newToken(harness.api, { scope: 'read' })).token)
    for (const api of [agent, reader])
      expect((await api.refused('POST', '/api/sessions', { repoId: repo.id })).status).toBe(403)
    for (const body of [{ workspaceRoot: await harness.workspace() }, { repoId: repo.id, isolation: 'none' }])
      expect(await member.api.refused('POST', '/api/sessions', body)).toMatchObject({
        status: 403,
        code: 'needs_machine',
      })
    expect(await total()).toBe(before)
    expect(await member.api.post('/api/sessions', { repoId: repo.id })).toMatchObject({ ownerUserId: member.id })
  })
})

describe('an agent that does not respond', () => {
  it('A1 B7 is starting until its time is up; then 502 with the id of a session in error, and no process', async () => {
    await using harness = await openAgentsHarness({
      config: `[acp]\nstartup_timeout_seconds = 2\n${faultAgent('slowstart')}`,
    })
    const workspaceRoot = await harness.workspace()
    const starting = harness.api.refused('POST', '/api/sessions', { agent: 'slowstart', workspaceRoot })
    const [created] = await until(async () => {
      const { sessions } = await harness.api.get<SessionPage>('/api/sessions?status=created')
      return sessions.length > 0 ? sessions : null
    })
    expect(await harness.api.get(`/api/sessions/${created!.id}/diagnosis`)).toMatchObject({ cause: 'starting' })
    expect(await starting).toMatchObject({
      status: 502,
      code: 'agent_failed',
      message: expect.stringMatching(/2 seconds/),
      details: { sessionId: created!.id },
    })
    expect((await harness.detail(created!)).status).toBe('error')
    expect(harness.running()).toEqual([])
  })
})

describe('agents that are slow to start', () => {
  let harness: AgentsHarness
  let log: string
  beforeAll(async () => {
    harness = await openAgentsHarness()
    log = join(await harness.workspace(), 'log')
    const config = [
      '[acp]\nstartup_timeout_seconds = 2\n',
      slowAgent('printing', log, 'print', 6),
      slowAgent('computing', log, 'compute', 6),
      slowAgent('silent', log, 'wait', 60),
      slowAgent('endless', log, 'print', 60),
    ]
    await harness.server.restart(config.join('\n'))
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each(['printing', 'computing'])('A9 one that makes progress (%s) has longer than the limit', async (agent) => {
    expect(await harness.start({ agent })).toMatchObject({ status: 'active' })
  })

  it.each([
    ['silent', /for 2 seconds it printed nothing/],
    ['endless', /within 8 seconds/],
  ])('A9 one that is %s has not', async (agent, message) => {
    const body = { agent, workspaceRoot: await harness.workspace() }
    const refused = await harness.api.refused('POST', '/api/sessions', body)
    expect(refused).toMatchObject({ status: 502, code: 'agent_failed', message: expect.stringMatching(message) })
  })

  it('A9 X7 when all are checked, two run at a time, each has its own time, and what is awaited is said', async () => {
    await writeFile(log, '')
    const { agents } = await harness.api.get<{ agents: { name: string; answers: boolean; error: string | null }[] }>(
      '/api/agents?probe=true',
    )
    const by = new Map(agents.map((agent) => [agent.name, agent]))
    for (const name of ['practice', 'printing', 'computing']) expect(by.get(name)).toMatchObject({ answers: true })
    for (const name of ['silent', 'endless']) expect(by.get(name)).toMatchObject({ answers: false })
    expect(by.get('silent')?.error).toMatch(/printed nothing/)
    let running = 0
    const atOnce = ((await read(log)) ?? '').split('').map((sign) => (running += sign === '+' ? 1 : -1))
    expect(Math.max(...atOnce)).toBe(2)
    expect(await harness.server.cli('agents')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Checking, two at a time: .*printing, computing, silent, endless\n/),
      stdout: expect.stringMatching(/printing +.*yes, protocol 1/),
    })
  })
})

describe('agents below AGENT_WORKSPACE_ROOT', () => {
  let harness: AgentsHarness
  let root: string
  beforeAll(async () => {
    const config = '[acp]\nmax_sessions = 100\n'
    harness = await openAgentsHarness({ config, env: {} })
    root = await harness.workspace()
    await harness.server.restart(`agent_workspace_root = ${JSON.stringify(root)}\n${config}`)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const reported = async () =>
    (
      await harness.api.get<{ events: { data: { what: string; detail: string } }[] }>(
        '/api/audit?type=security.reported',
      )
    ).events

  it('A1 a repo that has become a link to elsewhere is refused with 403 and a security event', async () => {
    const elsewhere = await harness.workspace()
    const place = join(root, 'moved')
    await mkdir(place)
    const repo = await newRepo(harness, place)
    expect(await harness.api.post('/api/sessions', { repoId: repo.id })).toMatchObject({ status: 'active' })
    await rename(place, join(elsewhere, 'moved'))
    await symlink(join(elsewhere, 'moved'), place)
    const before = (await reported()).length
    expect(await harness.api.refused('POST', '/api/sessions', { repoId: repo.id })).toMatchObject({
      status: 403,
      code: 'path_violation',
    })
    const events = await reported()
    expect(events).toHaveLength(before + 1)
    expect(events[0]?.data).toEqual({ what: 'path_refused', detail: place })
  })

  it('A1 a workspace outside of it is refused, however its path is written, with a security event each time', async () => {
    const elsewhere = await harness.workspace()
    await mkdir(join(root, 'inside'))
    await symlink(elsewhere, join(root, 'link'))
    const paths = [elsewhere, `${root}/inside/../../${elsewhere.split('/').at(-1)}`, join(root, 'link')]
    for (const workspaceRoot of paths) {
      const before = (await reported()).length
      const refusal = await harness.api.refused('POST', '/api/sessions', { workspaceRoot })
      expect([workspaceRoot, refusal.status, refusal.code]).toEqual([workspaceRoot, 403, 'path_violation'])
      expect(await reported()).toHaveLength(before + 1)
    }
    const allowed = await harness.api.post<Session>('/api/sessions', { workspaceRoot: `${root}/inside/../inside` })
    expect(allowed.workspaceRoot).toBe(join(root, 'inside'))
  })
})

describe.each(databases)('limits of agents on %s', (database) => {
  it('A1 R4 five by default, exact with simultaneous creates; 429 says when to retry', async () => {
    await using harness = await openAgentsHarness({ database, config: '' })
    const workspaceRoot = await harness.workspace()
    // At work: an idle one would give way.
    const body = { agent: 'practice', isolation: 'none', workspaceRoot, prompt: '/stall' }
    const replies = await Promise.all(
      Array.from({ length: 9 }, () => harness.api.send('POST', '/api/sessions', { body })),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5)
    for (const { status, headers, body: refusal } of replies.filter((reply) => reply.status !== 201)) {
      expect([status, headers['retry-after']]).toEqual([429, '60'])
      expect(refusal).toMatchObject({
        error: { code: 'session_limit', message: expect.stringContaining('5'), hint: expect.any(String) },
      })
    }
    const { total, sessions } = await harness.api.get<SessionPage>('/api/sessions')
    expect(total).toBe(5)
    await until(() => new Set(harness.running()).size === 5, { what: 'one process a session' })

    const [first, second] = sessions
    await harness.api.post(`/api/sessions/${first!.id}/pause`)
    expect((await harness.api.send('POST', '/api/sessions', { body })).status).toBe(429)
    // The other protocol is not affected.
    await harness.api.post('/api/sessions', { protocolMode: 'mcp', workspaceRoot })
    await harness.api.delete(`/api/sessions/${second!.id}`)
    expect((await harness.api.send('POST', '/api/sessions', { body })).status).toBe(201)
    expect(await harness.api.post(`/api/sessions/${first!.id}/restart`, { prompt: '/stall' })).toMatchObject({
      status: 'active',
    })
    expect((await harness.api.send('POST', '/api/sessions', { body })).status).toBe(429)
  })

  it('A1 the same Idempotency-Key gives the same session and one process, also at once and with an id', async () => {
    await using harness = await openAgentsHarness({ database })
    const workspaceRoot = await harness.workspace()
    for (const more of [{}, { id: randomUUID() }]) {
      const body = { agent: 'practice', isolation: 'none', workspaceRoot, prompt: '/say Once.', ...more }
      const key = { 'idempotency-key': `key-${Object.keys(more).join()}` }
      const send = () => harness.api.send('POST', '/api/sessions', { body, headers: key })
      const replies = [...(await Promise.all([send(), send(), send()])), await send()]
      const ids = new Set(replies.map((reply) => (reply.body as Session).id))
      expect([...replies.map(({ status }) => status), ids.size]).toEqual([201, 201, 201, 201, 1])
      expect(replies.map((reply) => (reply.body as Session).status)).toEqual(replies.map(() => 'active'))
      const session = { id: [...ids][0]! }
      await until(() => harness.running(session).length === 1, { what: 'one process' })
      await harness.saying(session, 'Once.')
      expect(await harness.say(session, '/say Again.')).toBe('Again.')
    }
    expect((await harness.api.get<SessionPage>('/api/sessions')).total).toBe(2)
  })
})
