import { once } from 'node:events'
import { mkdir, rename, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import {
  faultAgent,
  newRepo,
  openAgentsHarness,
  plainAgent,
  type AgentSession,
  type AgentsHarness,
} from './agents-harness.ts'
import { lookInto } from './look.ts'
import type { Session, SessionPage } from './shapes.ts'

const roomy = '[acp]\nmax_sessions = 100\n'

describe('continuing in the same place below AGENT_WORKSPACE_ROOT', () => {
  let harness: AgentsHarness
  let root: string
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: roomy })
    root = await harness.workspace()
    await harness.server.restart(`agent_workspace_root = ${JSON.stringify(root)}\n${roomy}`)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const reported = async () =>
    (await harness.api.get<{ events: unknown[] }>('/api/audit?type=security.reported')).events.length
  const placeIn = async (name: string) => {
    await mkdir(join(root, name))
    return join(root, name)
  }

  /** Each way to continue is refused, with its own event. */
  async function allRefused({ id }: { id: string }) {
    for (const way of ['recover', 'restart', 'fork']) {
      const before = await reported()
      const { status, code } = await harness.api.refused('POST', `/api/sessions/${id}/${way}`, {})
      expect([way, status, code]).toEqual([way, 403, 'path_violation'])
      expect(await reported()).toBe(before + 1)
    }
    expect(harness.running({ id })).toEqual([])
  }

  async function interrupted(session: AgentSession) {
    await harness.api.post('/api/stop', { agents: 'end' })
    await harness.server.restart()
    await harness.become(session, 'interrupted')
  }

  it('R13 restart, fork and recover refuse a workspace that has become a link, wherever it leads', async () => {
    for (const [name, elsewhere] of [
      ['out', await harness.workspace()],
      ['in', await placeIn('other')],
    ] as const) {
      const place = await placeIn(name)
      const session = await harness.start({ workspaceRoot: place })
      await interrupted(session)
      await rename(place, join(elsewhere, 'moved'))
      await symlink(join(elsewhere, 'moved'), place)
      await allRefused(session)
      await rm(place)
      await rename(join(elsewhere, 'moved'), place)
      expect(await harness.api.post(`/api/sessions/${session.id}/recover`, {})).toMatchObject({ status: 'active' })
    }
  })

  it('R13 a session continues in its worktree, and so does a copy, unless the repo has become a symlink', async () => {
    const repo = await newRepo(harness, await placeIn('repo'))
    const first = await harness.start({ repoId: repo.id, worktree: true })
    const copy = await harness.api.post<Session>(`/api/sessions/${first.id}/fork`, {})
    expect(copy.workspaceRoot).toBe(first.workspaceRoot)
    const next = await harness.api.post<Session>(`/api/sessions/${copy.id}/restart`, {})
    expect(next).toMatchObject({ status: 'active', workspaceRoot: first.workspaceRoot })
    await harness.api.post(`/api/sessions/${next.id}/terminate`, {})
    await interrupted(first)
    expect(await harness.api.post(`/api/sessions/${first.id}/recover`, {})).toMatchObject({ status: 'active' })
    await interrupted(first)
    const elsewhere = join(await harness.workspace(), 'repo')
    await rename(repo.path, elsewhere)
    await symlink(elsewhere, repo.path)
    await allRefused(first)
  })
})

describe('a session that ends while it starts', () => {
  it('A1 a session ended while its agent starts stays ended, and its caller gets an error', async () => {
    await using harness = await openAgentsHarness({ config: `${roomy}${faultAgent('slowstart')}` })
    const workspaceRoot = await harness.workspace()
    const start = harness.api.refused('POST', '/api/sessions', { agent: 'slowstart', workspaceRoot })
    const { id } = await until(async () => {
      const { sessions } = await harness.api.get<SessionPage>('/api/sessions?status=created')
      return sessions.find((one) => one.workspaceRoot === workspaceRoot)
    })
    await harness.api.send('DELETE', `/api/sessions/${id}`)
    expect(await start).toMatchObject({ status: 409, code: 'start_cancelled', details: { sessionId: id } })
    expect(await harness.detail({ id })).toMatchObject({ status: 'cancelled' })
    expect(harness.running({ id })).toEqual([])
  })
})

describe('agents and servers that fail to start', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    const leaver = `[agents.leaver]\ncommand = "sh"\nargs = ["-c", "setsid sleep 600 & exec \\"$0\\"", "true"]\nisolation = "none"\n`
    const node = `[agents.node]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ["-e", "0"]\n`
    harness = await openAgentsHarness({ config: [roomy, plainAgent('plain'), leaver, node].join('\n') })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('X2 a server whose port is in use leaves its agents to the next one', async () => {
    const session = await harness.start()
    await harness.server.kill('SIGKILL')
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const address = blocker.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const ran = await harness.server.cli('serve', '--port', String(port))
    blocker.close()
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringMatching(/in use/) })
    expect(harness.running(session)).toHaveLength(1)
    await harness.server.restart()
    expect(await harness.say(session, '/say Still here.')).toBe('Still here.')
  })

  it('X2 an agent that can’t be reconnected is interrupted; the others and the server keep running', async () => {
    const [broken, whole] = [await harness.start(), await harness.start()]
    await harness.server.kill('SIGKILL')
    {
      await using look = await lookInto(harness.server)
      await look.change(`update agents set state = '{"transcript":null}' where session_id = ?`, broken.id)
    }
    await harness.server.restart()
    expect(await harness.say(whole, '/say Still here.')).toBe('Still here.')
    expect(await harness.detail(broken)).toMatchObject({ status: 'interrupted' })
    await until(() => harness.running(broken).length === 0, { what: 'the end of the agent' })
  })

  it('X7 probing agents leaves no process behind', async () => {
    const before = harness.running()
    const { agents } = await harness.api.get<{ agents: { name: string; answers: boolean; version: string | null }[] }>(
      '/api/agents?probe=true',
    )
    const answers = Object.fromEntries(agents.map((agent) => [agent.name, agent.answers]))
    expect(answers).toMatchObject({ leaver: false, plain: true, practice: true })
    expect(agents.find(({ name }) => name === 'node')?.version).toBe(process.version.slice(1))
    expect(harness.running().filter((pid) => !before.includes(pid))).toEqual([])
  })
})
