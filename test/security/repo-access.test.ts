import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMachineUser, newPerson, type Person } from '../conformance/people.ts'
import type { Session } from '../conformance/shapes.ts'
import { newToken, openAsk, roomy } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { openTestDirectories, type TestDirectories, type Repo } from './test-directories.ts'

describe.each(databases)('a repo that is not for everyone on %s', (database) => {
  let server: Server
  let directories: TestDirectories
  let owner: Api
  let ann: Person
  let eve: Person
  let repo: Repo
  beforeAll(async () => {
    directories = await openTestDirectories()
    server = await startServer({ database, config: roomy })
    owner = server.api()
    ;[ann, eve] = [await newPerson(server, 'Ann'), await newPerson(server, 'Eve')]
    repo = await directories.repo(owner, 'secret-shop')
    await allow({ users: [ann.id] })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  const allow = async (access: Record<string, unknown>, api = owner) =>
    api.send('PUT', `/api/repos/${repo.id}/access`, { body: { everyone: false, ...access } })
  const start = (api: Api, more: Record<string, unknown> = { repoId: repo.id }) =>
    api.post<Session>('/api/sessions', { protocolMode: 'mcp', ...more })

  it('S1 is not seen, found or used by others, by its id or by its path', async () => {
    expect(await eve.api.list('/api/repos')).toEqual([])
    expect((await eve.api.refused('GET', `/api/repos/${repo.id}`)).code).toBe('repo_not_found')
    const { token } = await newToken(eve.api, { name: 'agent', scope: 'agent' })
    for (const api of [eve.api, server.api(token)]) {
      const byId = await api.refused('POST', '/api/sessions', { protocolMode: 'mcp', repoId: repo.id })
      expect([byId.status, byId.code]).toEqual([404, 'repo_not_found'])
      const byPath = await api.refused('POST', '/api/sessions', { protocolMode: 'mcp', workspaceRoot: repo.path })
      expect([byPath.status, byPath.code]).toEqual([403, 'needs_machine'])
    }
    const hosted = { protocolMode: 'acp', agent: 'practice', repoId: repo.id }
    expect((await eve.api.refused('POST', '/api/sessions', hosted)).code).toBe('repo_not_found')
  })

  it('S1 nor is it named in the log or in the events that others read', async () => {
    const log = await eve.api.get<{ events: unknown[] }>('/api/audit?limit=100')
    expect(JSON.stringify(log)).not.toContain('secret-shop')
    // The change of access may still end a stream, so this one is opened later.
    await using late = await openEvents(owner)
    await directories.repo(owner, `before-${database}`)
    await late.first((event) => event.type === 'repo.registered')
    await using reader = await openEvents(eve.api)
    await owner.delete(`/api/repos/${repo.id}`)
    repo = await owner.post<Repo>('/api/repos', { path: repo.path, name: 'secret-shop' })
    const seen = await directories.repo(owner, `for-all-${database}`)
    await reader.first((event) => event.type === 'repo.registered' && event.stream === seen.id)
    expect(JSON.stringify(reader.heard)).not.toContain('secret-shop')
    expect(repo.access).toEqual({ everyone: false, users: [ann.id], agentGroups: [] })
  })

  it('S1 is for the people named, for admins, and for people with the machine right; they don’t see who else is named', async () => {
    expect(await ann.api.get<Repo>(`/api/repos/${repo.id}`)).toMatchObject({ id: repo.id, access: null })
    expect((await start(ann.api)).workspaceRoot).toBe(repo.path)
    const { token } = await newToken(ann.api, { name: 'agent', scope: 'agent' })
    expect((await start(server.api(token), { workspaceRoot: repo.path })).workspaceRoot).toBe(repo.path)
    const max = await newMachineUser(server, 'Max')
    expect((await start(max.api)).workspaceRoot).toBe(repo.path)
    const shown = await owner.get<Repo>(`/api/repos/${repo.id}`)
    expect(shown.access).toEqual({ everyone: false, users: [ann.id], agentGroups: [] })
  })

  it('S1 only admins set who may use it, for existing people', async () => {
    const own = { users: [eve.id] }
    for (const api of [eve.api, ann.api, server.api((await newToken(owner, { name: 'a', scope: 'agent' })).token)])
      expect((await allow(own, api)).status).toBe(403)
    expect((await allow({ users: [crypto.randomUUID()] })).status).toBe(404)
    expect((await allow({ agentGroups: [crypto.randomUUID()] })).status).toBe(404)
    expect((await allow({ everyone: true, users: [ann.id] })).status).toBe(400)
    const set = await server.cli('repos', 'access', 'secret-shop', '--user', 'Ann', '--user', 'Eve')
    expect([set.code, set.stdout.trim()]).toEqual([0, 'Repo secret-shop can be used by: Ann, Eve.'])
    expect(await eve.api.list<Repo>('/api/repos')).toContainEqual(expect.objectContaining({ id: repo.id }))
    await allow({ users: [ann.id] })
  })

  it('S1 without access nothing continues there: no prompt, ask, checkpoint, restart or recovery', async () => {
    await allow({ users: [ann.id, eve.id] })
    const session = await start(eve.api)
    const other = await start(eve.api)
    const lost = await newToken(eve.api, { name: 'lost', scope: 'agent', sessionId: other.id })
    await server.api(lost.token).post(`/api/sessions/${other.id}/interrupt`, {})
    const { token } = await newToken(eve.api, { name: 'agent', scope: 'agent', sessionId: session.id })
    const agent = server.api(token)
    await openAsk(agent, session)
    await allow({ users: [ann.id] })
    const code = 'workspace_not_permitted'
    const post = async (api: Api, path: string, body: unknown) => (await api.refused('POST', path, body)).code
    expect(await post(eve.api, `/api/sessions/${session.id}/prompt`, { text: 'Go on' })).toBe(code)
    expect(await post(eve.api, `/api/sessions/${session.id}/checkpoints`, {})).toBe(code)
    expect(await post(eve.api, `/api/sessions/${session.id}/restart`, {})).toBe(code)
    expect(await post(eve.api, `/api/sessions/${other.id}/recover`, {})).toBe(code)
    const ask = { title: 'May I?', subject: { kind: 'command', command: 'make', cwd: repo.path } }
    expect(await post(agent, `/api/sessions/${session.id}/asks`, ask)).toBe(code)
    expect(await post(agent, `/api/sessions/${session.id}/checkpoints`, {})).toBe(code)
    const mcp = await agent.send('POST', '/mcp', {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      headers: { accept: 'application/json, text/event-stream' },
    })
    expect([mcp.status, mcp.text]).toEqual([403, expect.stringContaining(code)])
  })
})
