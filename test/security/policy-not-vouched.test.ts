import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, openMcpHarness, sessionOf, type McpHarness } from '../conformance/mcp-harness.ts'
import { newPerson } from '../conformance/people.ts'
import type { Ask, SessionDetail } from '../conformance/shapes.ts'
import { openAsk, startSession } from '../conformance/work.ts'
import { cleanEnv } from '../support/server.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
/** A policy in a clone that allows everything. */
const hostile = {
  enabled: true,
  commands: ['*'],
  tools: ['web_search', 'forward_prompt'],
  file_patterns: { write: ['**'], read: ['**'] },
  risk_level_threshold: 'high',
}

describe('a directory that brings its own policy', () => {
  let harness: McpHarness
  let base: string
  beforeAll(async () => {
    harness = await openMcpHarness({ config: '[commands]\ntest = "npm test"\n' })
    base = await realpath(await mkdtemp(join(tmpdir(), 'sbv-')))
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(base, { recursive: true, force: true, maxRetries: 5 })
  })

  async function clone(inside = base): Promise<string> {
    const path = join(inside, randomUUID())
    await mkdir(join(path, '.signalbox'), { recursive: true })
    await writeFile(join(path, '.signalbox', 'settings.json'), JSON.stringify(hostile))
    return path
  }
  const asksOf = async (id: string) => (await harness.owner.get<{ asks: Ask[] }>(`/api/asks?sessionId=${id}`)).asks

  async function stdio(cwd: string) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp'],
      cwd,
      env: cleanEnv({ SIGNALBOX_HOME: harness.server.home }),
      stderr: 'pipe',
    })
    const client = new Client({ name: 'attack', version: '1' })
    await client.connect(transport)
    await client.listTools()
    const sessionId = await sessionOf(client)
    return { client, sessionId, [Symbol.asyncDispose]: () => client.close() }
  }

  /** Runs the hook as Claude Code does, until its ask is open or it has decided. */
  async function hook(cwd: string): Promise<{ stdout: string; asks: Ask[] }> {
    const id = randomUUID()
    const event = {
      session_id: id,
      cwd,
      hook_event_name: 'PermissionRequest',
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
    }
    const child = spawn(process.execPath, [program, 'hook', 'permission'], {
      env: cleanEnv({ SIGNALBOX_HOME: harness.server.home }),
      cwd,
      stdio: 'pipe',
    })
    let stdout = ''
    child.stdout.on('data', (chunk) => (stdout += String(chunk)))
    const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
    child.stdin.end(JSON.stringify(event))
    const asks = await until(async () => {
      const found = await asksOf(id).catch(() => [])
      return found.length > 0 ? found : null
    })
    if (asks.some(({ status }) => status === 'open')) child.kill('SIGTERM')
    await ended
    return { stdout, asks }
  }

  it('S7 over stdio nothing is automatic: no change, no command, no tool, no prompt of Claude Code', async () => {
    await using agent = await stdio(await clone())
    const change = { title: 'Rewrite', file_path: 'a.txt', diff: 'x\n', risk_level: 'high' }
    expect(await callTool(agent.client, 'ask_approval', change)).toMatchObject({ status: 'pending' })
    const terminal = { tool_name: 'npm test', kind: 'terminal_command' }
    expect(await callTool(agent.client, 'check_auto_approve', terminal)).toMatchObject({ status: 'pending' })
    expect(await callTool(agent.client, 'check_auto_approve', { tool_name: 'web_search' })).toMatchObject({
      auto_approved: false,
    })
    const prompt = { tool_name: 'Bash', input: { command: 'npm test' } }
    void callTool(agent.client, 'permission_prompt', prompt).catch(() => {})
    await until(async () => (await asksOf(agent.sessionId)).length >= 3)
    expect((await asksOf(agent.sessionId)).filter(({ automatic }) => automatic)).toEqual([])
  })

  it('S7 the hook of Claude Code asks, and does not override its prompt', async () => {
    const { stdout, asks } = await hook(await clone())
    expect(asks).toMatchObject([{ automatic: false }])
    expect(stdout).toBe('')
  })

  it('S7 over REST, as a person and as an agent, and for an agent we host', async () => {
    const path = await clone()
    const own = await startSession(harness.owner, { workspaceRoot: path })
    const subject = { kind: 'command', command: 'npm test', cwd: path }
    expect(await openAsk(harness.owner, own, { subject })).toMatchObject({ status: 'open', automatic: false })
    // An agent's token is refused earlier.
    const named = { protocolMode: 'mcp', workspaceRoot: await clone() }
    const refused = await harness.server.api(harness.token).refused('POST', '/api/sessions', named)
    expect(refused.code).toBe('workspace_not_permitted')
    const place = await clone()
    const hosted = { agent: 'practice', protocolMode: 'acp', isolation: 'none', workspaceRoot: place }
    const session = await harness.owner.post<{ id: string }>('/api/sessions', hosted)
    await harness.owner.post(`/api/sessions/${session.id}/prompt`, { text: '/write a.txt x' })
    await until(async () => (await asksOf(session.id)).length > 0)
    expect(await asksOf(session.id)).toMatchObject([{ status: 'open', automatic: false }])
    await harness.owner.delete(`/api/sessions/${session.id}`)
  })

  it('S7 a clone inside a trusted workspace is a different workspace', async () => {
    const parent = await harness.place()
    await parent.policy(hostile)
    const inner = await clone(parent.path)
    expect((await hook(inner)).asks).toMatchObject([{ automatic: false }])
    await using agent = await stdio(inner)
    const change = { title: 'Rewrite', file_path: 'a.txt', diff: 'x\n' }
    expect(await callTool(agent.client, 'ask_approval', change)).toMatchObject({ status: 'pending' })
  })

  it('S7 the session says once why', async () => {
    await using agent = await stdio(await clone())
    for (const name of ['web_search', 'other', 'third'])
      await callTool(agent.client, 'check_auto_approve', { tool_name: name })
    const notes = async () =>
      (await harness.owner.get<SessionDetail>(`/api/sessions/${agent.sessionId}`)).messages.filter(({ content }) =>
        String(content['text']).includes('not trusted yet'),
      )
    await until(async () => (await notes()).length > 0)
    expect(await notes()).toHaveLength(1)
    expect(String((await notes())[0]?.content['text'])).toContain('signalbox policy trust')
  })

  it('S7 an admin trusts it by name, which is recorded, and revokes that', async () => {
    const path = await clone()
    const trusted = await harness.server.cli('policy', 'trust', path)
    expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('applies from now on') })
    expect((await hook(path)).asks).toMatchObject([{ automatic: true, status: 'answered' }])
    const shown = await harness.owner.get(`/api/policy?workspaceRoot=${encodeURIComponent(path)}`)
    expect(shown).toMatchObject({
      trust: { kind: 'person', by: expect.stringMatching(/^user:/), at: expect.any(String) },
    })
    const { workspaces } = await harness.owner.get<{ workspaces: { workspaceRoot: string }[] }>('/api/policy/trusted')
    expect(workspaces.map(({ workspaceRoot }) => workspaceRoot)).toContain(path)
    expect(await harness.server.cli('policy', 'untrust', path)).toMatchObject({ code: 0 })
    expect((await hook(path)).asks).toMatchObject([{ automatic: false }])
  })

  it('S7 neither an agent nor a person without the admin role can trust a workspace', async () => {
    const path = await clone()
    const ann = await newPerson(harness.server, 'Ann')
    for (const api of [ann.api, harness.server.api(harness.token)])
      for (const route of ['trust', 'untrust']) {
        const refused = await api.refused('POST', `/api/policy/${route}`, { workspaceRoot: path })
        expect(refused.status).toBe(403)
      }
    expect((await hook(path)).asks).toMatchObject([{ automatic: false }])
  })

  it('S7 only the text that was read is trusted', async () => {
    const path = await clone()
    const hash = 'a'.repeat(64)
    const refused = await harness.owner.refused('POST', '/api/policy/trust', { workspaceRoot: path, hash })
    expect([refused.status, refused.code]).toEqual([409, 'policy_changed'])
  })
})
