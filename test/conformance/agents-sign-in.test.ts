import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type Server } from '../support/server.ts'

type AgentInfo = {
  name: string
  installed: boolean
  ready: boolean | null
  signIn: { id: string; variables: string[]; key: boolean; command: string | null }[]
  installCommand: string | null
  loginCommand: string[] | null
  error: string | null
}
type McpClient = { client: string; path: string; state: string; text: string; error: string | null }

const agentFile = join(import.meta.dirname, '..', 'support', 'agents', 'key-agent.mjs')
const secret = 'yard-secret-4711'

describe('agents that people set up', () => {
  let home: string
  let server: Server
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'sbs-'))
    const config = [
      '[agents.yard]',
      `command = ${JSON.stringify(process.execPath)}`,
      `args = [${JSON.stringify(agentFile)}]`,
      `login = [${JSON.stringify(agentFile)}, "login"]`,
      'install_command = "npm install -g yard"',
      'isolation = "none"',
      `env = { KEY_AGENT_HOME = ${JSON.stringify(home)}, HOME = ${JSON.stringify(home)}, SECRET_THING = "hidden" }`,
      `open_paths = ["\${KEY_AGENT_HOME:-~}/yard"]`,
      '[agents.missing]',
      'command = "no-such-agent"',
      'install_command = "npm install -g no-such-agent"',
    ]
    server = await startServer({ config: `${config.join('\n')}\n`, env: { HOME: home } })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  })

  const agent = async (name: string, probe = 'session') =>
    (await server.api().get<{ agents: AgentInfo[] }>(`/api/agents?probe=${probe}&name=${name}`)).agents[0]!
  const signIn = (methodId: string, variables: Record<string, string>, name = 'yard') =>
    server.api().post<{ ready: boolean; error: string | null }>(`/api/agents/${name}/sign-in`, { methodId, variables })
  const refused = (methodId: string, variables: Record<string, string>, name = 'yard') =>
    server.api().refused('POST', `/api/agents/${name}/sign-in`, { methodId, variables })

  it('X7 one that nobody signed in says so, with the ways to sign in, and how it is installed', async () => {
    expect(await agent('yard')).toMatchObject({
      installed: true,
      ready: false,
      error: null,
      installCommand: 'npm install -g yard',
      signIn: [
        { id: 'key', variables: ['YARD_KEY'], key: false, command: null },
        // A variable that chooses which programs run is never asked for.
        { id: 'forgets', variables: ['YARD_KEY'] },
        { id: 'away', variables: [], command: '/bin/sh -c evil' },
      ],
    })
    expect(await agent('yard', 'false')).toMatchObject({ ready: null, signIn: [] })
    expect(await agent('missing')).toMatchObject({ installed: false, installCommand: 'npm install -g no-such-agent' })
  })

  it('X7 its login command signs in where its sessions look, and shows none of its keys', async () => {
    const { loginCommand } = await agent('yard', 'false')
    expect(loginCommand).toEqual([
      '/usr/bin/env',
      `KEY_AGENT_HOME=${home}`,
      `HOME=${home}`,
      process.execPath,
      agentFile,
      'login',
    ])
  })

  it('X7 a sign-in that the agent refuses, forgets or does not offer leaves it signed out, and says why', async () => {
    expect(await signIn('key', {})).toEqual({ ready: false, error: 'YARD_KEY is not set' })
    expect(await signIn('key', { YARD_KEY: 'wrong' })).toEqual({
      ready: false,
      error: 'The yard does not know this key',
    })
    expect(await signIn('forgets', { YARD_KEY: secret })).toMatchObject({
      ready: false,
      error: expect.stringContaining('still asks to sign in'),
    })
    expect(await refused('nothing', {})).toMatchObject({ status: 400, code: 'auth_method_not_offered' })
    for (const variable of ['PATH', 'LD_PRELOAD', 'OTHER'])
      expect(await refused('forgets', { [variable]: 'x' })).toMatchObject({ status: 400, code: 'variable_not_named' })
    expect(await refused('key', {}, 'nobody')).toMatchObject({ status: 404 })
    expect(await refused('key', {}, 'missing')).toMatchObject({ status: 502, code: 'agent_unavailable' })
    expect((await agent('yard')).ready).toBe(false)
  })

  it('X7 signed in with a key it is ready, also after a restart, and the key is nowhere in our data', async () => {
    expect(await signIn('key', { YARD_KEY: secret })).toEqual({ ready: true, error: null })
    expect(await readFile(join(home, 'key'), 'utf8')).toBe(secret)
    await server.restart()
    expect(await agent('yard')).toMatchObject({ ready: true, error: null })
    const files = await readdir(server.home, { recursive: true, withFileTypes: true })
    for (const file of files.filter((one) => one.isFile()))
      expect((await readFile(join(file.parentPath, file.name))).includes(secret), file.name).toBe(false)
    expect(server.log()).not.toContain(secret)
  })

  it('X7 it is tried in the repo for practice', async () => {
    const session = await server
      .api()
      .post<{ agent: string; workspaceRoot: string }>('/api/practice', { agent: 'yard' })
    expect(session).toMatchObject({ agent: 'yard', workspaceRoot: expect.stringContaining('practice') })
    const unknown = await server.api().refused('POST', '/api/practice', { agent: 'nobody' })
    expect(unknown.status).toBe(400)
  })

  it('X7 an MCP client is connected with one call, keeps what else is in its file, and what is written works', async () => {
    await writeFile(join(home, '.claude.json'), '{\n  "theirs": 1.0\n}\n')
    const clients = async () => (await server.api().get<{ clients: McpClient[] }>('/api/mcp-clients')).clients
    expect((await clients()).map(({ client, state }) => [client, state])).toEqual(
      ['claude', 'cursor', 'vscode', 'gemini', 'codex', 'opencode'].map((name) => [name, 'absent']),
    )
    for (const name of ['claude', 'codex'])
      expect(await server.api().post<McpClient>(`/api/mcp-clients/${name}/connect`)).toMatchObject({ state: 'current' })
    const text = await readFile(join(home, '.claude.json'), 'utf8')
    expect(text).toContain('"theirs": 1.0')
    const { mcpServers } = JSON.parse(text) as { mcpServers: { signalbox: { command: string; args: string[] } } }
    const { command, args } = mcpServers.signalbox
    expect(args).toContain(server.home)
    expect(await initialized(command, args)).toMatchObject({ serverInfo: { name: 'signalbox' } })
    const gone = await server.api().post<McpClient>('/api/mcp-clients/claude/disconnect')
    expect(gone).toMatchObject({ state: 'absent', error: null })
    expect(await readFile(join(home, '.claude.json'), 'utf8')).not.toContain('signalbox')

    await writeFile(join(home, '.claude.json'), '{ // a comment\n }')
    const kept = await server.api().refused('POST', '/api/mcp-clients/claude/connect', {})
    expect(kept).toMatchObject({ status: 409, code: 'file_not_editable' })
    expect(await readFile(join(home, '.claude.json'), 'utf8')).toBe('{ // a comment\n }')
  })

  /** What the configured program answers to a client. */
  async function initialized(command: string, args: readonly string[]): Promise<unknown> {
    const child = spawn(command, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], HOME: home },
    })
    try {
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
      for await (const line of createInterface({ input: child.stdout })) {
        const { id, result } = JSON.parse(line) as { id?: number; result?: unknown }
        if (id === 1) return result
      }
      return null
    } finally {
      child.kill()
    }
  }
})
