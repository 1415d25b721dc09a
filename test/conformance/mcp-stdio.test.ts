import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, freshHome, runCli } from '../support/server.ts'
import { until } from '../support/until.ts'
import { approve, callTool, openMcpHarness, reject, sessionOf, type McpHarness, type Place } from './mcp-harness.ts'
import { me } from './people.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
const whole = { title: 'Write it', diff: 'hello\n', file_path: 'a.txt' }

describe('signalbox mcp', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function join(place: Place, args: string[] = [], version?: string) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...args],
      cwd: place.path,
      env: cleanEnv({ SIGNALBOX_HOME: harness.server.home }),
      stderr: 'pipe',
    })
    const negotiation = version === undefined ? {} : { versionNegotiation: { mode: { pin: version } } }
    const client = new Client({ name: 'conformance', version: '1' }, negotiation)
    await client.connect(transport)
    await client.listTools()
    const sessionId = await sessionOf(client)
    return { client, transport, sessionId, [Symbol.asyncDispose]: () => client.close() }
  }

  const ended = (id: string) =>
    until(async () => {
      const { status } = await harness.session(id)
      return status === 'active' ? null : status
    })

  it.each([undefined, '2026-07-28'])(
    'R2 it finds the server, and works in the directory it was started in (%s)',
    async (version) => {
      const place = await harness.place()
      await using agent = await join(place, [], version)
      expect(await harness.session(agent.sessionId)).toMatchObject({
        protocolMode: 'mcp',
        status: 'active',
        workspaceRoot: place.path,
        ownerUserId: await me(harness.owner),
      })
      const done = callTool(agent.client, 'ask_approval', whole, { held: true })
      const ask = await harness.openAsk(agent.sessionId)
      await harness.answer(ask, approve)
      expect(await done).toEqual({ status: 'approved', request_id: ask.id, isError: false })
      expect(await callTool(agent.client, 'accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
      expect(await place.read('a.txt')).toBe('hello\n')
      await agent.client.close()
      expect(await ended(agent.sessionId)).toBe('completed')
    },
  )

  it('R2 two of them are two sessions; --workspace-id and --session choose', async () => {
    const place = await harness.place()
    await using one = await join(place)
    await using two = await join(place)
    expect(one.sessionId).not.toBe(two.sessionId)
    const other = await harness.place()
    await using named = await join(place, ['--workspace-id', other.id])
    expect((await harness.session(named.sessionId)).workspaceRoot).toBe(other.path)
    await using again = await join(place, ['--session', one.sessionId])
    expect(again.sessionId).toBe(one.sessionId)
  })

  it('R24 stdin closed completes it; with an ask open it is interrupted and the ask stays', async () => {
    const place = await harness.place()
    const agent = await join(place)
    const pending = await callTool(agent.client, 'ask_approval', whole)
    expect(pending).toMatchObject({ status: 'pending' })
    await agent.client.close()
    expect(await ended(agent.sessionId)).toBe('interrupted')
    expect((await harness.ask(String(pending['request_id']))).status).toBe('open')
    await harness.answer({ id: String(pending['request_id']) }, approve)
    await using again = await join(place, ['--session', agent.sessionId])
    expect(await callTool(again.client, 'ask_approval', { request_id: pending['request_id'] })).toMatchObject({
      status: 'approved',
    })
  })

  it.each([undefined, '2026-07-28'])(
    'R23 the server is killed: the same held call gets its answer (%s)',
    async (version) => {
      const place = await harness.place()
      await using agent = await join(place, [], version)
      const done = callTool(agent.client, 'ask_approval', whole, { held: true })
      const ask = await harness.openAsk(agent.sessionId)
      await harness.crash()
      expect((await harness.ask(ask.id)).status).toBe('open')
      await harness.answer(ask, reject('after it'))
      expect(await done).toEqual({ status: 'rejected', request_id: ask.id, reason: 'after it', isError: false })
      expect(await sessionOf(agent.client)).toBe(agent.sessionId)
      const { asks } = await harness.owner.get<{ asks: unknown[] }>(`/api/asks?sessionId=${agent.sessionId}`)
      expect(asks).toHaveLength(1)
    },
  )

  it('R23 the client is killed with its bridge: the ask stays, and the next client gets its answer', async () => {
    const place = await harness.place()
    const agent = await join(place)
    void callTool(agent.client, 'ask_approval', whole, { held: true }).catch(() => {})
    const ask = await harness.openAsk(agent.sessionId)
    process.kill(agent.transport.pid ?? 0, 'SIGKILL')
    expect((await harness.ask(ask.id)).status).toBe('open')
    await harness.answer(ask, approve)
    await using again = await join(place, ['--session', agent.sessionId])
    expect(again.sessionId).toBe(agent.sessionId)
    expect(await callTool(again.client, 'ask_approval', { request_id: ask.id })).toMatchObject({ status: 'approved' })
    await agent.client.close()
  })

  it('R6 a call that the client cancels leaves the ask open', async () => {
    await using agent = await join(await harness.place())
    const gone = new AbortController()
    const done = callTool(agent.client, 'ask_approval', whole, { held: true, signal: gone.signal })
    const ask = await harness.openAsk(agent.sessionId)
    gone.abort()
    await expect(done).rejects.toThrow()
    expect(await callTool(agent.client, 'heartbeat', {})).toMatchObject({ acknowledged: true })
    expect((await harness.ask(ask.id)).status).toBe('open')
    await harness.answer(ask, approve)
    expect(await callTool(agent.client, 'ask_approval', { request_id: ask.id })).toMatchObject({ status: 'approved' })
  })

  it('R10 R17 steering and waits reach it too', async () => {
    await using agent = await join(await harness.place())
    await harness.say(agent.sessionId, 'look here')
    expect(await callTool(agent.client, 'heartbeat', {})).toMatchObject({ pending_steering: ['look here'] })
    const done = callTool(agent.client, 'wait_for_instruction', {}, { held: true })
    await harness.openAsk(agent.sessionId)
    await harness.say(agent.sessionId, 'and there')
    expect(await done).toMatchObject({ status: 'resumed', instruction: 'and there' })
  })
})

describe('signalbox mcp without a running server', () => {
  it('R2 starts one that outlives it', async () => {
    const home = await freshHome()
    const workspace = await freshHome()
    const env = cleanEnv({ SIGNALBOX_HOME: home, SIGNALBOX_HTTP_PORT: '0' })
    try {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [program, 'mcp'],
        cwd: workspace,
        env,
        stderr: 'pipe',
      })
      const client = new Client({ name: 'conformance', version: '1' })
      await client.connect(transport)
      expect(await callTool(client, 'heartbeat', {})).toMatchObject({ acknowledged: true })
      const id = await sessionOf(client)
      await client.close()
      const shown = await runCli(['sessions', 'show', id, '--json'], env)
      expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(workspace)])
    } finally {
      await runCli(['stop'], env)
      for (const folder of [home, workspace]) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
