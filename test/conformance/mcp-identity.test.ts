import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  approve,
  callTool,
  connectClient,
  openMcpHarness,
  reject,
  resource,
  sessionOf,
  type McpHarness,
} from './mcp-harness.ts'
import { me, newMachineUser } from './people.ts'
import { newToken } from './work.ts'

const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

describe('whose session it is', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('R2 X1 it belongs to the person of the token, works in the named workspace, and is of protocol mcp', async () => {
    await using mine = await harness.connect()
    expect(await mine.detail()).toMatchObject({
      ownerUserId: await me(harness.owner),
      protocolMode: 'mcp',
      status: 'active',
      workspaceRoot: mine.place.path,
      channelId: `C${mine.place.id}`,
    })
    const ann = await newMachineUser(harness.server, 'Ann')
    const { token } = await newToken(ann.api, { name: 'hers', scope: 'agent' })
    await using hers = await harness.connect({ token, place: mine.place })
    expect((await hers.detail()).ownerUserId).toBe(ann.id)
  })

  it('R2 a person’s own token works too, and its session is theirs', async () => {
    const ann = await newMachineUser(harness.server, 'Ann with a program')
    await using hers = await harness.connect({ token: ann.token })
    expect((await hers.detail()).ownerUserId).toBe(ann.id)
  })

  it.each([
    ['ask_approval', whole, approve],
    ['check_auto_approve', { tool_name: 'make', kind: 'terminal_command' }, approve],
    ['forward_prompt', { prompt_text: 'And?' }, { outcome: 'continue' }],
    ['wait_for_instruction', {}, { outcome: 'resume' }],
  ])('R3 only the owner answers %s: no other person, and no agent’s token', async (tool, input, answer) => {
    const ann = await newMachineUser(harness.server, 'Ann the owner')
    const bob = await newMachineUser(harness.server, 'Bob')
    const { token } = await newToken(ann.api, { name: 'hers', scope: 'agent' })
    await using agent = await harness.connect({ token })
    const { ask, done } = await agent.begin(tool, input)
    const path = `/api/asks/${ask.id}/answer`
    expect([403, 404]).toContain((await bob.api.refused('POST', path, answer)).status)
    for (const one of [token, harness.token])
      expect([403, 404]).toContain((await harness.server.api(one).refused('POST', path, answer)).status)
    expect((await harness.ask(ask.id)).status).toBe('open')
    const answered = await ann.api.post(path, answer)
    expect(answered).toMatchObject({ answeredBy: `user:${ann.id}` })
    expect(await done).toMatchObject({ isError: false })
  })

  it('R3 no MCP tool answers asks, and what an agent runs can change neither policy nor tokens', async () => {
    await using agent = await harness.connect()
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name).filter((name) => /answer|approve_|policy|token|role/.test(name))).toEqual([])
    const api = harness.server.api(harness.token)
    expect((await api.refused('POST', '/api/tokens', { name: 'more' })).status).toBe(403)
  })

  it('R2 two connections are two sessions, even with one token in one workspace', async () => {
    await using one = await harness.connect()
    await using two = await harness.connect({ place: one.place })
    expect(one.sessionId).not.toBe(two.sessionId)
    for (const agent of [one, two]) expect((await agent.detail()).status).toBe('active')
  })

  it('R2 R3 twenty agents of two people at once: each has its own session, owner, workspace and answer', async () => {
    const ann = await newMachineUser(harness.server, 'Ann with ten agents')
    const { token } = await newToken(ann.api, { name: 'hers', scope: 'agent' })
    const places = await Promise.all(Array.from({ length: 20 }, () => harness.place()))
    const agents = await Promise.all(
      places.map((place, index) => harness.connect({ place, ...(index % 2 === 1 && { token }) })),
    )
    expect(new Set(agents.map(({ sessionId }) => sessionId)).size).toBe(20)
    const mine = await me(harness.owner)
    for (const [index, agent] of agents.entries())
      expect(await agent.detail()).toMatchObject({
        workspaceRoot: places[index]!.path,
        channelId: `C${places[index]!.id}`,
        ownerUserId: index % 2 === 1 ? ann.id : mine,
      })
    const calls = await Promise.all(
      agents.map((agent) => agent.begin('forward_prompt', { prompt_text: `I am ${agent.sessionId}` })),
    )
    await Promise.all(
      calls
        .map(({ ask }, index) => ({ ask, api: index % 2 === 1 ? ann.api : harness.owner }))
        .toReversed()
        .map(({ ask, api }) =>
          api.post(`/api/asks/${ask.id}/answer`, {
            outcome: 'refine',
            instruction: `to ${String(ask.subject['text'])}`,
          }),
        ),
    )
    for (const [index, { done }] of calls.entries())
      expect(await done).toMatchObject({ instruction: `to I am ${agents[index]!.sessionId}` })
    for (const agent of agents) await agent.client.close()
  })

  it('R2 every tool acts on its own connection’s session, whichever was active last', async () => {
    await using one = await harness.connect()
    await using two = await harness.connect({ place: one.place })
    await two.call('heartbeat')
    expect(await one.call('heartbeat', { progress_snapshot: [{ label: 'one', status: 'done' }] })).toMatchObject({
      session_id: one.sessionId,
    })
    await two.call('heartbeat')
    await one.call('remote_log', { message: 'of one' })
    await one.call('set_operational_mode', { mode: 'local' })
    await one.call('create_checkpoint', { label: 'of one' })
    const other = await two.detail()
    expect(other).toMatchObject({ mode: 'remote', progressSnapshot: null })
    expect(JSON.stringify(other.messages)).not.toContain('of one')
    expect(JSON.stringify(await two.call('list_checkpoints'))).not.toContain('of one')
    expect((await one.detail()).mode).toBe('local')
  })

  it('R2 ?session_id= with an unknown UUID names the new session; repeated, it is the same session', async () => {
    const id = randomUUID()
    const place = await harness.place()
    await using one = await harness.connect({ place, query: { session_id: id } })
    expect(one.sessionId).toBe(id)
    await using two = await harness.connect({ place, query: { session_id: id } })
    expect(two.sessionId).toBe(id)
  })

  it('R2 ?session_id= of another person, or of another token, is 404, and reveals nothing', async () => {
    await using mine = await harness.connect()
    const ann = await newMachineUser(harness.server, 'Ann who looks')
    const { token: hers } = await newToken(ann.api, { name: 'hers', scope: 'agent' })
    const { token: mineToo } = await newToken(harness.owner, { name: 'another of mine', scope: 'agent' })
    for (const token of [hers, mineToo]) {
      const reply = await initialize(`?workspace_id=${mine.place.id}&session_id=${mine.sessionId}`, token)
      expect([reply.status, reply.headers['mcp-session-id']]).toEqual([404, undefined])
      expect(reply.text).not.toContain(mine.place.path)
    }
    expect((await mine.detail()).status).toBe('active')
  })

  it('R2 an MCP session id of another token is 404', async () => {
    await using mine = await harness.connect()
    const { token } = await newToken(harness.owner, { name: 'yet another', scope: 'agent' })
    const id = 'sessionId' in mine.transport ? mine.transport.sessionId : undefined
    for (const method of ['POST', 'GET', 'DELETE']) {
      const reply = await harness.server.tcp().send(method, '/mcp', {
        ...(method === 'POST' && { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
        headers: { ...headers(token), 'mcp-session-id': id },
      })
      expect([method, reply.status]).toEqual([method, 404])
    }
    expect(await mine.call('heartbeat')).toMatchObject({ acknowledged: true })
  })

  it('R2 an invalid ?session_id= is refused', async () => {
    const reply = await initialize('?session_id=nonsense')
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('session_id')])
  })

  it('R2 an unknown ?workspace_id= is refused by name, with the list of known ones', async () => {
    const reply = await initialize('?workspace_id=nowhere')
    expect(reply.status).toBe(404)
    expect(reply.text).toMatch(/unknown_workspace/)
    expect(reply.text).toMatch(/nowhere.*w1/)
  })

  it('R2 a workspace by its path is refused over TCP', async () => {
    const reply = await initialize('?workspace=/etc')
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('workspace')])
  })

  it('R2 without ?workspace_id= it is workspace_root of the configuration', async () => {
    await using agent = await harness.connect({ place: null })
    expect((await agent.detail()).workspaceRoot).toBe(agent.place.path)
  })

  it('R2 a token bound to a session reaches only that one and its lineage', async () => {
    const own = await harness.connect()
    await using other = await harness.connect()
    const { token } = await newToken(harness.owner, { name: 'tied', scope: 'agent', sessionId: own.sessionId })
    await using tied = await harness.connect({ token, place: own.place })
    expect(tied.sessionId).toBe(own.sessionId)
    const foreign = await initialize(`?session_id=${other.sessionId}`, token)
    expect(foreign.status).toBe(404)
    const after = await harness.owner.post<{ id: string }>(`/api/sessions/${own.sessionId}/restart`)
    await using next = await harness.connect({ token, place: own.place })
    expect(next.sessionId).toBe(after.id)
    await own.client.close()
  })

  it('R2 a revoked token is refused at once: its next request is 401, and it starts nothing', async () => {
    const made = await newToken(harness.owner, { name: 'soon gone', scope: 'agent' })
    const agent = await harness.connect({ token: made.token })
    const { ask, done } = await agent.begin('ask_approval', whole)
    done.catch(() => {})
    await harness.owner.delete(`/api/tokens/${made.id}`)
    await expect(agent.call('heartbeat')).rejects.toThrow(/401|token|unauthor/i)
    expect((await initialize('', made.token)).status).toBe(401)
    expect((await harness.ask(ask.id)).status).toBe('open')
    await agent.client.close()
  })

  it('R2 2026-07-28: requests of one token in one workspace share one session; another token has another', async () => {
    const place = await harness.place()
    await using one = await harness.connect({ place, version: '2026-07-28' })
    await using two = await harness.connect({ place, version: '2026-07-28' })
    expect(two.sessionId).toBe(one.sessionId)
    const { token } = await newToken(harness.owner, { name: 'modern', scope: 'agent' })
    await using three = await harness.connect({ place, token, version: '2026-07-28' })
    expect(three.sessionId).not.toBe(one.sessionId)
    await using old = await harness.connect({ place })
    expect(old.sessionId).not.toBe(one.sessionId)
  })

  it('R5 every call counts as activity, even one that is refused or only asks again', async () => {
    await using agent = await harness.connect()
    const { request_id } = await agent.call('ask_approval', whole)
    const calls: [string, Record<string, unknown>, string][] = [
      ['ask_approval', whole, 'ask_approval'],
      ['forward_prompt', { request_id }, 'forward_prompt'],
      ['ask_approval', { request_id }, 'ask_approval'],
      ['wait_for_instruction', { odd: 1 }, 'wait_for_instruction'],
    ]
    for (const [tool, input, last] of calls) {
      await agent.call('list_checkpoints')
      await agent.call(tool, input)
      expect((await agent.detail()).lastTool, `${tool} ${JSON.stringify(input)}`).toBe(last)
    }
  })

  it('R2 the old SSE transport: its own session, the same tools, the same answers', async () => {
    await using agent = await harness.connect({ transport: 'sse' })
    await using beside = await harness.connect({ transport: 'sse', place: agent.place })
    expect(beside.sessionId).not.toBe(agent.sessionId)
    expect((await agent.detail()).workspaceRoot).toBe(agent.place.path)
    const words: unknown[] = []
    const { ask, done } = await agent.begin('ask_approval', whole, { onProgress: ({ message }) => words.push(message) })
    await harness.answer(ask, approve)
    expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
    expect(words.length).toBeGreaterThan(0)
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
    const pending = await beside.call('forward_prompt', { prompt_text: 'And?' })
    expect(pending).toMatchObject({ status: 'pending' })
    await harness.answer({ id: String(pending['request_id']) }, { outcome: 'stop' })
    expect(await beside.call('forward_prompt', { request_id: pending['request_id'] })).toMatchObject({
      decision: 'stop',
    })
  })

  it('R2 the old SSE transport: another token can’t post to its stream', async () => {
    const stream = await fetch(new URL('/sse', harness.server.address), {
      headers: { authorization: `Bearer ${harness.token}` },
    })
    const reader = stream.body!.getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    const path = /data: (\S+)/.exec(first)?.[1] ?? ''
    expect(path).toMatch(/^\/messages/)
    const { token } = await newToken(harness.owner, { name: 'not its', scope: 'agent' })
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const post = (who: string) =>
      harness.server.tcp().send('POST', path, { body, headers: { authorization: `Bearer ${who}` } })
    expect((await post(token)).status).toBe(404)
    expect((await post(harness.token)).status).toBe(202)
    await reader.cancel()
  })

  it('R2 resources show only the agent’s own session', async () => {
    await using one = await harness.connect()
    await using two = await harness.connect({ place: one.place })
    const { ask, done } = await one.begin('ask_approval', whole)
    expect(await resource(one.client, 'inbox')).toMatchObject([{ id: ask.id }])
    expect(await resource(two.client, 'inbox')).toEqual([])
    await one.call('remote_log', { message: 'of one' })
    expect(await resource(two.client, 'messages')).toEqual([])
    await harness.answer(ask, reject())
    await done
  })

  it('R2 a session without any workspace is refused, and told what to do', async () => {
    await using bare = await openMcpHarness({ env: { SIGNALBOX_WORKSPACE_ROOT: '' }, places: 2 })
    await expect(bare.connect({ place: null })).rejects.toThrow(/workspace/)
    await using named = await bare.connect()
    expect(named.sessionId).toMatch(/-/)
  })

  it('R2 through the local socket no token is needed: the local owner is the owner', async () => {
    const { client } = await connectClient(harness.server, { token: harness.token, query: new URLSearchParams() })
    const id = await sessionOf(client)
    expect((await harness.session(id)).ownerUserId).toBe(await me(harness.owner))
    expect(await callTool(client, 'heartbeat', {})).toMatchObject({ session_id: id })
    await client.close()
    const reply = await harness.owner.send('POST', '/mcp', { body: hello, headers: headers() })
    expect(reply.status).toBe(200)
  })

  const hello = {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }
  const headers = (token?: string) => ({
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  })
  const initialize = (query: string, token = harness.token) =>
    harness.server.tcp().send('POST', `/mcp${query}`, { body: hello, headers: headers(token) })
})
