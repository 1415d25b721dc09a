import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import type { Session } from '../conformance/shapes.ts'
import { newToken } from '../conformance/work.ts'
import { startServer, type Server } from '../support/server.ts'
import { openTestDirectories, type TestDirectories, type Repo } from './test-directories.ts'

/** Whether an agent can connect over MCP, or why not. */
async function connect(server: Server, token: string, query: string): Promise<string> {
  const transport = new StreamableHTTPClientTransport(new URL(`/mcp?${query}`, server.address), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  const client = new Client({ name: 'attacker', version: '1' })
  try {
    await client.connect(transport)
    return 'connected'
  } catch (error) {
    return String(error)
  } finally {
    await client.close()
  }
}

describe('a workspace that a person may not use', () => {
  let server: Server
  let directories: TestDirectories
  let repo: Repo
  let eve: Person
  beforeAll(async () => {
    directories = await openTestDirectories()
    const shared = await directories.directory('shared')
    const mapped = await directories.directory('mapped')
    const config = `max_concurrent_sessions = 1000\nworkspace_root = "${shared}"\n[[workspace]]\nid = "mapped"\nchannel_id = "C1"\npath = "${mapped}"\n`
    server = await startServer({ config })
    repo = await directories.repo(server.api(), 'shop')
    eve = await newPerson(server, 'Eve')
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  const start = (person: Person, body: Record<string, unknown>) =>
    person.api.refused('POST', '/api/sessions', { protocolMode: 'mcp', ...body })

  it('S1 can’t be used over REST, for either protocol, and its existence is not revealed', async () => {
    for (const workspaceRoot of [directories.path, join(directories.path, 'not-there'), server.home, '/', '/root'])
      for (const protocolMode of ['mcp', 'acp']) {
        const refused = await start(eve, { protocolMode, workspaceRoot })
        const told = [workspaceRoot, protocolMode, refused.status, refused.code]
        expect(told).toEqual([workspaceRoot, protocolMode, 403, 'needs_machine'])
      }
    const refused = await start(eve, {})
    expect(refused.code).toBe('needs_machine')
    expect(refused.hint).toContain('start the session in a registered repo')
  })

  it('S1 can’t be used over MCP: the default, one of the configuration, or a path', async () => {
    const { token } = await newToken(eve.api, { name: 'agent', scope: 'agent' })
    for (const query of ['', 'workspace_id=mapped'])
      for (const one of [token, eve.token]) expect(await connect(server, one, query)).toContain('needs_machine')
    expect(await connect(server, token, `workspace=${encodeURIComponent(repo.path)}`)).toContain(
      'workspace_not_allowed',
    )
  })

  it('S1 the data directory and its parents are never allowed, over any protocol and with any right', async () => {
    const owner = server.api()
    const way = join(directories.path, 'way')
    await symlink(server.home, way)
    const inside = join(server.home, 'work')
    await mkdir(inside, { recursive: true })
    for (const workspaceRoot of [server.home, way, inside, join(way, 'run'), join(server.home, '..'), '/'])
      for (const protocolMode of ['mcp', 'acp']) {
        const refused = await owner.refused('POST', '/api/sessions', { protocolMode, workspaceRoot })
        expect([workspaceRoot, refused.status, refused.code]).toEqual([workspaceRoot, 403, 'path_violation'])
      }
    const stdio = await owner.send('POST', `/mcp?workspace=${encodeURIComponent(way)}`, {
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      },
      headers: { accept: 'application/json, text/event-stream' },
    })
    expect([stdio.status, stdio.text]).toEqual([403, expect.stringContaining('path_violation')])
  })

  it('S1 an agent’s token names no directory over REST, and makes checkpoints of none', async () => {
    const secret = await directories.directory('private')
    await writeFile(join(secret, 'diary'), 'for nobody')
    const tokens = [
      await newToken(eve.api, { name: 'hers', scope: 'agent' }),
      await newToken(server.api(), { name: "the owner's", scope: 'agent' }),
    ]
    const codes = ['needs_machine', 'workspace_not_permitted']
    for (const [index, { token }] of tokens.entries()) {
      const agent = server.api(token)
      for (const workspaceRoot of [secret, server.home, join(repo.path, 'sub')]) {
        const refused = await agent.refused('POST', '/api/sessions', { protocolMode: 'mcp', workspaceRoot })
        expect([refused.status, refused.code]).toEqual([403, codes[index]])
      }
      const session = await agent.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: repo.id })
      const kept = await agent.post<{ workspaceRoot: string }>(`/api/sessions/${session.id}/checkpoints`, {})
      expect(kept.workspaceRoot).toBe(repo.path)
    }
    const kept = await readdir(join(server.home, 'checkpoints'), { recursive: true }).catch(() => [])
    expect(kept.join(' ')).not.toContain('diary')
  })

  it('S1 a registered repo that they may use is allowed, over both', async () => {
    const session = await eve.api.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: repo.id })
    expect(session.workspaceRoot).toBe(repo.path)
    const by = { protocolMode: 'mcp', workspaceRoot: repo.path }
    expect((await eve.api.post<Session>('/api/sessions', by)).workspaceRoot).toBe(repo.path)
    const { token } = await newToken(eve.api, { name: 'of one session', scope: 'agent', sessionId: session.id })
    expect(await connect(server, token, '')).toBe('connected')
  })
})
