import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reply } from '../support/api.ts'
import { refusalOf } from '../support/api.ts'
import { until } from '../support/until.ts'
import { approve, openMcpHarness, resource, type McpHarness } from './mcp-harness.ts'
import { newPerson } from './people.ts'
import { newToken } from './work.ts'

const tools = [
  'ask_approval',
  'accept_diff',
  'check_auto_approve',
  'forward_prompt',
  'wait_for_instruction',
  'heartbeat',
  'remote_log',
  'recover_state',
  'set_operational_mode',
  'create_checkpoint',
  'list_checkpoints',
]
const aliases = [
  'check_clearance',
  'check_diff',
  'auto_check',
  'transmit',
  'standby',
  'ping',
  'broadcast',
  'reboot',
  'switch_freq',
]
const hello = (protocolVersion = '2025-11-25') => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})

describe('the endpoint for agents', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const accept = 'application/json, text/event-stream'
  const headers = () => ({ accept, authorization: `Bearer ${harness.token}` })
  const post = (body: unknown, more: Record<string, string> = {}, path = '/mcp') =>
    harness.server.tcp().send('POST', path, { body, headers: { ...headers(), ...more } })
  const sessions = async () => (await harness.owner.get<{ total: number }>('/api/sessions')).total

  it.each([
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['DELETE', '/mcp'],
    ['GET', '/sse'],
    ['POST', '/messages'],
  ])('C2 %s %s without a token, or with an unknown one, is 401 and starts nothing', async (method, path) => {
    const before = await sessions()
    for (const more of [{}, { authorization: 'Bearer sbx_nobody' }, { authorization: 'Basic eDp5' }]) {
      const reply = await harness.server
        .tcp({ accept, ...more })
        .send(method, path, method === 'POST' ? { body: hello() } : {})
      expect([more, reply.status]).toEqual([more, 401])
    }
    expect(await sessions()).toBe(before)
  })

  it('C2 a read-only token is refused; so is a browser’s cookie', async () => {
    const { token } = await newToken(harness.owner, { name: 'looks', scope: 'read' })
    const read = await post(hello(), { authorization: `Bearer ${token}` })
    expect(refusalOf(read)).toMatchObject({ status: 403, code: 'read_only_token' })
    const ann = await newPerson(harness.server, 'Ann')
    const browser = harness.server.tcp({ ...ann.login, origin: harness.server.address, accept })
    expect((await browser.send('POST', '/mcp', { body: hello() })).status).toBe(403)
  })

  it.each([
    ['POST', '/mcp'],
    ['GET', '/mcp'],
    ['GET', '/sse'],
    ['POST', '/messages'],
  ])('B11 %s %s with another Host or Origin is refused, even with a valid token', async (method, path) => {
    const before = await sessions()
    const body = method === 'POST' ? { body: hello() } : {}
    for (const more of [
      { host: 'evil.example' },
      { host: 'evil.example:3000' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      const reply = await harness.server.tcp({ ...headers(), ...more }).send(method, path, body)
      expect([more, reply.status]).toEqual([more, 403])
      expect(refusalOf(reply).code).toMatch(/^(host|origin)_not_allowed$/)
    }
    expect(await sessions()).toBe(before)
  })

  it('B11 its own Origin is accepted', async () => {
    expect((await post(hello(), { origin: harness.server.address })).status).toBe(200)
  })

  it('B11 a body over 16 MB is 413 with a clear error, at /mcp and /messages; one just below is read', async () => {
    const limit = 16 * 1024 * 1024
    const padded = (size: number) => {
      const empty = JSON.stringify({ ...hello(), pad: '' })
      return JSON.stringify({ ...hello(), pad: 'x'.repeat(size - empty.length) })
    }
    for (const path of ['/mcp', '/messages']) {
      const reply = await harness.server.tcp(headers()).send('POST', path, { raw: padded(limit + 1) })
      expect([path, reply.status]).toEqual([path, 413])
      expect(reply.text).toContain('16777216')
    }
    const fits = await harness.server.tcp(headers()).send('POST', '/mcp', { raw: padded(limit) })
    expect(fits.status).not.toBe(413)
  })

  it.each([
    ['no JSON', '{ "jsonrpc": '],
    ['nothing', ''],
    ['no message', '{"hello": 1}'],
    ['a number', '5'],
    ['an empty batch', '[]'],
    ['endlessly nested', '['.repeat(100_000)],
  ])('B11 malformed: %s is 400 with a JSON-RPC error', async (_what, raw) => {
    const reply = await harness.server
      .tcp(headers())
      .send('POST', '/mcp', { raw, headers: { 'content-type': 'application/json' } })
    expect(reply.status).toBe(400)
    expect(reply.body).toMatchObject({
      jsonrpc: '2.0',
      error: { code: expect.any(Number), message: expect.any(String) },
    })
  })

  it('B11 another content type is 415, another Accept 406, another method 405', async () => {
    const text = await harness.server
      .tcp(headers())
      .send('POST', '/mcp', { raw: '{}', headers: { 'content-type': 'text/plain' } })
    expect(text.status).toBe(415)
    expect((await post(hello(), { accept: 'text/html' })).status).toBe(406)
    expect((await harness.server.tcp(headers()).send('PUT', '/mcp')).status).toBe(405)
    expect((await harness.server.tcp(headers()).send('POST', '/sse', { body: {} })).status).toBe(405)
  })

  it('B11 a request without a session, or with an unknown one, says what to do', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const without = await post(list, { 'mcp-protocol-version': '2025-11-25' })
    expect([without.status, without.text]).toEqual([400, expect.stringMatching(/Mcp-Session-Id/i)])
    const unknown = await post(list, { 'mcp-session-id': crypto.randomUUID(), 'mcp-protocol-version': '2025-11-25' })
    expect([unknown.status, unknown.text]).toEqual([404, expect.stringMatching(/initialize/)])
  })

  it('B11 an unknown tool, prompt or resource is a JSON-RPC error by name', async () => {
    await using agent = await harness.connect({ place: null })
    await expect(agent.client.callTool({ name: 'nonsense', arguments: {} })).rejects.toThrow(/nonsense/)
    await expect(agent.client.getPrompt({ name: 'nonsense' })).rejects.toThrow(/nonsense/)
    await expect(agent.client.readResource({ uri: 'signalbox://nonsense' })).rejects.toThrow(/nonsense/)
  })

  it.each(['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])(
    'R6 a client of %s: its version, the tools, a held approval and its answer',
    async (version) => {
      await using agent = await harness.connect({ version })
      expect(agent.client.getNegotiatedProtocolVersion()).toBe(version)
      expect(agent.client.getServerVersion()).toMatchObject({ name: 'signalbox' })
      expect(agent.client.getInstructions()).toMatch(/recover_state/)
      const { tools: listed } = await agent.client.listTools()
      expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(tools))
      let heard = 0
      const input = { title: 'x', diff: 'hello\n', file_path: 'a.txt' }
      const { ask, done } = await agent.begin('ask_approval', input, { onProgress: () => void (heard += 1) })
      await until(() => heard > 0)
      await harness.answer(ask, approve)
      expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
      expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
      const pending = await agent.call('wait_for_instruction')
      expect(pending).toMatchObject({ status: 'pending' })
      await harness.answer({ id: String(pending['request_id']) }, { outcome: 'resume' })
      expect(await agent.call('wait_for_instruction', { request_id: pending['request_id'] })).toMatchObject({
        status: 'resumed',
      })
    },
  )

  it('B11 an unknown version is answered with a known one', async () => {
    const reply = await post(hello('1999-01-01'))
    const [, data] = /data: (\{.*\})/.exec(reply.text) ?? []
    expect(reply.status).toBe(200)
    expect(JSON.parse(data ?? reply.text)).toMatchObject({
      result: { protocolVersion: expect.stringMatching(/^2025-/) },
    })
  })

  it('R6 tools/list: titles, descriptions, annotations, both schemas, closed inputs, and no alias', async () => {
    await using agent = await harness.connect({ place: null })
    const { tools: listed } = await agent.client.listTools()
    const names = listed.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(tools))
    expect(names.filter((name) => aliases.includes(name))).toEqual([])
    for (const tool of listed) {
      expect(tool.title, tool.name).toMatch(/\S+ \S+/)
      expect(tool.description?.length, tool.name).toBeGreaterThan(40)
      expect(tool.annotations, tool.name).toMatchObject({ readOnlyHint: expect.any(Boolean) })
      expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object' })
    }
    for (const tool of listed.filter(({ name }) => tools.includes(name))) {
      expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' })
      expect(tool.inputSchema['additionalProperties'], tool.name).toBe(false)
    }
    const byName = Object.fromEntries(listed.map((tool) => [tool.name, tool]))
    const fields = (name: string) => Object.keys(byName[name]?.inputSchema.properties ?? {}).toSorted()
    expect(Object.fromEntries(tools.map((name) => [name, fields(name)]))).toEqual({
      ask_approval: ['description', 'diff', 'file_path', 'request_id', 'risk_level', 'title'],
      accept_diff: ['force', 'request_id'],
      check_auto_approve: ['context', 'kind', 'request_id', 'tool_name'],
      forward_prompt: ['actions_taken', 'elapsed_seconds', 'prompt_text', 'prompt_type', 'request_id'],
      wait_for_instruction: ['message', 'request_id', 'timeout_seconds'],
      heartbeat: ['long_operation', 'progress_snapshot', 'status_message'],
      remote_log: ['level', 'message', 'thread_ts'],
      recover_state: ['session_id'],
      set_operational_mode: ['mode'],
      create_checkpoint: ['label'],
      list_checkpoints: [],
    })
    expect(byName['accept_diff']?.annotations?.destructiveHint).toBe(true)
    expect(byName['list_checkpoints']?.annotations?.readOnlyHint).toBe(true)
    expect(byName['recover_state']?.inputSchema.required ?? []).toEqual([])
    expect(byName['remote_log']?.inputSchema.required).toContain('message')
  })

  it('R6 a domain error is a result with isError, the same in text and structure', async () => {
    await using agent = await harness.connect({ place: null })
    const result = await agent.client.callTool({ name: 'accept_diff', arguments: { request_id: 'nonsense' } })
    expect(result.isError).toBe(true)
    const [content] = result.content
    const text = content?.type === 'text' ? (JSON.parse(content.text) as unknown) : null
    expect(text).toEqual({
      status: 'error',
      error_code: 'request_not_found',
      error_message: expect.stringMatching(/\S/),
    })
    expect(result.structuredContent).toEqual(text)
  })

  it('R13 prompts explain how to work here, and resources show the current state', async () => {
    await using agent = await harness.connect({ place: null })
    const { prompts } = await agent.client.listPrompts()
    expect(prompts.length).toBeGreaterThan(0)
    for (const { name, description } of prompts) {
      expect(description).toMatch(/\S/)
      const { messages } = await agent.client.getPrompt({ name })
      expect(messages[0]).toMatchObject({ role: 'user', content: { type: 'text', text: expect.stringMatching(/\S/) } })
    }
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(
      expect.arrayContaining(['signalbox://session', 'signalbox://inbox', 'signalbox://messages']),
    )
    expect(await resource(agent.client, 'session')).toMatchObject({ id: agent.sessionId, status: 'active' })
  })

  it('R2 2026-07-28: server/discover starts no session', async () => {
    const before = await sessions()
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const reply = await post(
      { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
    )
    expect(reply.status, reply.text).toBe(200)
    expect(reply.text).toContain('2026-07-28')
    expect(await sessions()).toBe(before)
  })

  it('R2 a refused request leaves no session behind', async () => {
    const before = await sessions()
    const replies: Reply[] = [
      await post({ ...hello(), params: {} }),
      await post([hello(), hello()]),
      await post(hello(), {}, '/mcp?workspace_id=nowhere'),
    ]
    expect(replies.map(({ status }) => status)).toEqual([400, 400, 404])
    expect(await sessions()).toBe(before)
  })
})
