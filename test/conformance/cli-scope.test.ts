import { mkdir } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newPerson, type Person } from './people.ts'
import type { Session } from './shapes.ts'
import { newToken } from './work.ts'

type Group = { id: string; name: string; folder: string }
type Listed = { sessions: (Session & { prompt: string | null; title?: string })[] }
type Document = { paths: Record<string, Record<string, { requestBody?: unknown }>> }

const agentFile = fileURLToPath(new URL('./agents-plain.mjs', import.meta.url))

describe('agents of an agent group that use the command line', () => {
  let server: Server
  let owner: Api
  let ann: Person
  let mine: Group
  let other: Group
  let own: Session
  let sibling: Session
  let foreign: Session
  let agent: Api
  let token: string
  beforeAll(async () => {
    server = await startServer({
      config: `[acp]\nmax_sessions = 100\n[mcp]\nhold_seconds = 1\n[agents.plain]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify([agentFile])}\nisolation = "none"\n`,
    })
    owner = server.api()
    await mkdir(server.outside, { recursive: true })
    ann = await newPerson(server, 'Ann')
    await owner.post(`/api/users/${ann.id}/roles`, { role: 'admin' })
    const group = (name: string) => owner.post<Group>('/api/agent-groups', { name, agent: 'plain' })
    ;[mine, other] = [await group('Mine'), await group('Other')]
    for (const { id } of [mine, other]) await owner.put(`/api/agent-groups/${id}/members/${ann.id}`)
    const start = (of: Group, api: Api, prompt: string) =>
      api.post<Session>('/api/sessions', { agentGroupId: of.id, prompt })
    own = await start(mine, ann.api, 'my own words')
    sibling = await start(mine, owner, 'the words of a sibling')
    foreign = await start(other, ann.api, 'foreign words')
    token = (await newToken(ann.api, { name: 'of the agent', scope: 'agent', sessionId: own.id })).token
    agent = server.api(token)
    const chat = await owner.post<{ id: string }>('/api/chats', { channelType: 'slack', platformId: 'C1', name: 'dev' })
    for (const { id } of [mine, other]) await owner.post('/api/wirings', { chatId: chat.id, agentGroupId: id })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const scope = (cliScope: string) => owner.send('PATCH', `/api/agent-groups/${mine.id}/config`, { body: { cliScope } })
  const status = async (api: Api, method: string, path: string, body?: unknown) =>
    (await api.send(method, path, body === undefined ? {} : { body })).status
  /** What a caller learns, without the id they asked for. */
  const answer = async (api: Api, path: string, id: string) => {
    const reply = await api.send('GET', path.replace('{id}', id))
    const error = (reply.body as { error: Record<string, unknown> }).error
    return JSON.stringify([reply.status, { ...error, requestId: '' }]).replaceAll(id, 'ID')
  }

  it('C10 group, the default: own rows only, and foreign ids answer exactly like unknown ones', async () => {
    expect((await agent.list<Group>('/api/agent-groups')).map(({ id }) => id)).toEqual([mine.id])
    expect((await agent.get<Group>(`/api/agent-groups/${mine.id}`)).name).toBe('Mine')
    for (const part of ['config', 'members', 'instructions', 'dependents', 'spending'])
      expect(await status(agent, 'GET', `/api/agent-groups/${mine.id}/${part}`), part).toBe(200)
    for (const list of ['wirings', 'destinations']) {
      const rows = await agent.list<{ agentGroupId: string }>(`/api/${list}`)
      expect([...new Set(rows.map(({ agentGroupId }) => agentGroupId))], list).toEqual([mine.id])
    }
    for (const path of ['', '/config', '/members', '/instructions', '/dependents', '/spending'].map(
      (part) => `/api/agent-groups/{id}${part}`,
    ))
      expect(await answer(agent, path, other.id)).toBe(await answer(agent, path, randomUUID()))
    expect(await answer(agent, '/api/sessions/{id}', foreign.id)).toBe(
      await answer(agent, '/api/sessions/{id}', randomUUID()),
    )
  })

  it('C10 group: the sessions of the group as rows, without what was said in the others', async () => {
    for (const view of ['plain', 'full']) {
      const { sessions } = await agent.get<Listed>(`/api/sessions?view=${view}`)
      expect(sessions.map(({ id }) => id).toSorted()).toEqual([own.id, sibling.id].toSorted())
      expect(JSON.stringify(sessions)).toContain('my own words')
      expect(JSON.stringify(sessions)).not.toContain('the words of a sibling')
    }
    const row = await agent.send('GET', `/api/sessions/${sibling.id}`)
    expect([row.status, row.text.includes('the words of a sibling')]).toEqual([200, false])
    expect(row.body).toMatchObject({ prompt: null, messages: [], agentGroupId: mine.id })
    for (const part of ['messages', 'conversation', 'files', 'queue', 'agent'])
      expect(await status(agent, 'GET', `/api/sessions/${sibling.id}/${part}`), part).toBe(404)
    expect((await agent.get<Listed>('/api/sessions?q=sibling')).sessions).toEqual([])
  })

  it('C10 what an agent may only ask for waits for an administrator, and nothing changes before', async () => {
    const group = `/api/agent-groups/${mine.id}`
    const look = () =>
      Promise.all(['', '/config', '/members'].map((part) => owner.get<unknown>(`${group}${part}`))).then(JSON.stringify)
    for (const cliScope of ['group', 'global']) {
      await scope(cliScope)
      const before = await look()
      const eve = await newPerson(server, `Eve, ${cliScope}`)
      for (const [method, path, body] of [
        ['PATCH', `${group}/config`, { model: `for ${cliScope}` }],
        ['PUT', `${group}/members/${eve.id}`, {}],
      ] as const) {
        const held = await agent.refused(method, path, body)
        expect([path, held.status, held.code]).toEqual([path, 409, 'pending'])
      }
      expect(await look()).toBe(before)
      const { asks } = await owner.get<{ asks: { id: string }[] }>(`/api/asks?status=open&agentGroupId=${mine.id}`)
      expect(asks).toHaveLength(2)
      for (const { id } of asks) await owner.post(`/api/asks/${id}/answer`, { outcome: 'reject' })
      expect(await look()).toBe(before)
      const groups = await owner.list<Group>('/api/agent-groups')
      expect(await status(agent, 'POST', '/api/agent-groups', { name: 'x' })).toBe(403)
      expect(await owner.list('/api/agent-groups')).toEqual(groups)
    }
    await scope('group')
  })

  it('C10 an agent whose request was approved sees the person as a member of its group, and nothing else of them', async () => {
    await scope('group')
    const eve = await newPerson(server, 'Eve of two groups', ['slack:yard/U7'])
    await owner.put(`/api/agent-groups/${other.id}/members/${eve.id}`)
    await owner.post(`/api/users/${eve.id}/roles`, { role: 'machine' })
    type Asks = { asks: { id: string }[] }
    const reply = await until(async () => {
      const request = agent.send('PUT', `/api/agent-groups/${mine.id}/members/${eve.id}`, { body: {} })
      const ask = await until(async () => {
        const { asks } = await owner.get<Asks>(`/api/asks?status=open&agentGroupId=${mine.id}`)
        return asks[0]
      })
      await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
      const { status, body } = await request
      return status === 200 && (body as Record<string, unknown>)
    })
    expect(reply).toMatchObject({ id: eve.id, identities: [], roles: [] })
    expect(JSON.stringify(reply)).not.toMatch(new RegExp(`${other.id}|U7|machine`))
  })

  it('C10 no agent raises its own scope, answers, or changes what people decide', async () => {
    for (const cliScope of ['group', 'global']) {
      await scope(cliScope)
      const config = `/api/agent-groups/${mine.id}/config`
      expect(await status(agent, 'PATCH', config, { cliScope: 'global' })).toBe(403)
      expect(await status(agent, 'PUT', `/api/agent-groups/${mine.id}/instructions`, { text: 'x' })).toBe(403)
      expect(await status(agent, 'POST', '/api/tokens', { name: 'x' })).toBe(403)
      expect(await status(agent, 'POST', `/api/users/${ann.id}/roles`, { role: 'machine' })).toBe(403)
      const ask = await owner.post<{ id: string }>(`/api/sessions/${sibling.id}/asks`, {
        title: 'May I?',
        subject: { kind: 'command', command: 'make', cwd: '/' },
      })
      expect(await status(agent, 'POST', `/api/asks/${ask.id}/answer`, { outcome: 'approve' })).toBe(403)
    }
    await scope('group')
  })

  it('C10 global: reads what its person may read, and only reads', async () => {
    await scope('global')
    expect((await agent.list<Group>('/api/agent-groups')).map(({ id }) => id).toSorted()).toEqual(
      [mine.id, other.id].toSorted(),
    )
    expect(JSON.stringify(await agent.get(`/api/sessions/${foreign.id}`))).toContain('foreign words')
    expect(await status(agent, 'GET', '/api/users')).toBe(200)
    const eve = await newPerson(server, 'Eve')
    await owner.put(`/api/agent-groups/${mine.id}/members/${eve.id}`)
    const session = await owner.post<Session>('/api/sessions', { agentGroupId: mine.id })
    expect(await status(agent, 'POST', `/api/sessions/${session.id}/prompt`, { text: 'x' })).not.toBe(201)
    await scope('group')
    expect(await status(agent, 'GET', '/api/users')).toBe(403)
  })

  it('C10 disabled: every request of the API is refused, with the command line too; its tools stay', async () => {
    await scope('disabled')
    const { paths } = await owner.get<Document>('/api/openapi.json')
    const open: string[] = []
    for (const [path, methods] of Object.entries(paths))
      for (const [method, { requestBody }] of Object.entries(methods)) {
        const address = path.replaceAll(/\{\w+\}/g, own.id)
        const reply = await agent.send(method.toUpperCase(), address, requestBody ? { body: {} } : {})
        const code = (reply.body as { error?: { code?: string } } | undefined)?.error?.code
        if (reply.status !== 403 || code !== 'cli_disabled') open.push(`${method} ${path}: ${reply.status} ${code}`)
      }
    expect(open.filter((line) => !publicPaths.some((path) => line.includes(path)))).toEqual([])
    const ran = await server.cli('groups', 'list', '--url', server.address, '--token', token)
    expect([ran.code, ran.stderr]).toEqual([
      expect.any(Number),
      expect.stringMatching(/can't use the API or the command line/),
    ])
    expect(ran.code).not.toBe(0)
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
    const hello = await agent.send('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
      headers: { accept: 'application/json, text/event-stream' },
    })
    expect(hello.status).toBe(200)
    await scope('group')
    expect(await status(agent, 'GET', '/api/agent-groups')).toBe(200)
  })

  it('C10 nothing is known of the scope: nothing is read', async () => {
    await owner.delete(`/api/agent-groups/${mine.id}`)
    expect((await agent.refused('GET', '/api/agent-groups')).code).toBe('cli_disabled')
  })
})

/** For everyone, signed in or not. */
const publicPaths = ['/api/openapi.json', '/api/health', '/api/version']
