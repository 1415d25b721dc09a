import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, read, type AgentSession, type OpenAsk, type AgentsHarness } from './agents-harness.ts'

type Server = {
  name: string
  type?: string
  url?: string
  headers?: { name: string; value: string }[]
  command?: string
  args?: string[]
  env?: { name: string; value: string }[]
}
type Heard = {
  method?: string
  params?: { mcpServers?: Server[]; message?: string; prompt?: { text: string }[] }
}
type Token = { name: string; scope: string; sessionId: string | null; revokedAt: string | null }

const program = fileURLToPath(new URL('./agents-own-tools.mjs', import.meta.url))
const all = { mcpCapabilities: { http: true }, loadSession: true, sessionCapabilities: { resume: {}, fork: {} } }

/** One agent for each possible difference. */
const kinds = {
  usual: { name: 'qwen-code', capabilities: all },
  loads: { name: 'qwen-code', capabilities: { ...all, sessionCapabilities: {} } },
  programs: { name: 'qwen-code', capabilities: {} },
  crowded: { name: 'qwen-code', capabilities: all, more: 'mcp_servers = [{ name = "signalbox", command = "other" }]' },
}
type Kind = keyof typeof kinds

describe('our own MCP server, as agents use it', () => {
  let harness: AgentsHarness
  let folder: string
  const log = (kind: Kind) => join(folder, `${kind}.jsonl`)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sbo-'))
    const agents = Object.entries(kinds).map(([kind, { name, capabilities, ...more }]) => {
      const args = [program, log(kind as Kind), name, JSON.stringify(capabilities)]
      const extra = `open_paths = ${JSON.stringify([folder])}\n${'more' in more ? `${more.more}\n` : ''}`
      return `[agents.${kind}]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n${extra}`
    })
    const stall = '[stall]\ninactivity_threshold_seconds = 1\nescalation_threshold_seconds = 1\n'
    harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 1000\n${stall}${agents.join('')}` })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const heardBy = async (kind: Kind): Promise<Heard[]> => {
    const lines = (await read(log(kind)))?.trim().split('\n') ?? []
    return lines.map((line) => JSON.parse(line) as Heard)
  }
  const opened = async (kind: Kind) => (await heardBy(kind)).findLast(({ params }) => params?.mcpServers)!
  const servers = async (kind: Kind) => (await opened(kind)).params!.mcpServers!
  const tokenIn = ({ headers = [], env = [] }: Server) =>
    headers[0]?.value.replace('Bearer ', '') ?? env.find(({ name }) => name === 'SIGNALBOX_TOKEN')?.value ?? ''
  const works = async (token: string, { id }: { id: string }) =>
    (await harness.server.api(token).send('GET', `/api/sessions/${id}`)).status === 200
  const asksOf = async ({ id }: { id: string }) =>
    (await harness.api.get<{ asks: (OpenAsk & { answeredAt: string | null })[] }>(`/api/asks?sessionId=${id}`)).asks

  it('X7 is passed in session/new by address, with a token valid only for this session', async () => {
    const session = await harness.start({ agent: 'usual' })
    const [server, ...more] = await servers('usual')
    expect(more).toEqual([])
    expect(server).toEqual({
      type: 'http',
      name: 'signalbox',
      url: `${harness.server.address}/mcp`,
      headers: [{ name: 'Authorization', value: expect.stringMatching(/^Bearer sbx_/) }],
    })
    const token = tokenIn(server!)
    expect(await works(token, session)).toBe(true)
    const other = await harness.start({ agent: 'usual' })
    expect(await works(token, other)).toBe(false)
    const tokens = await harness.api.list<Token>('/api/tokens')
    const made = tokens.filter(({ sessionId }) => sessionId === session.id)
    expect(made).toMatchObject([{ name: `session ${session.id.slice(0, 8)}`, scope: 'agent', revokedAt: null }])
  })

  it('X7 is offered as a program if the agent does not support HTTP', async () => {
    const session = await harness.start({ agent: 'programs' })
    const [server] = await servers('programs')
    const { command, args, env } = server!
    expect(command).toBe(process.execPath)
    expect(args?.[1]).toBe('mcp')
    expect(env).toContainEqual({ name: 'SIGNALBOX_URL', value: harness.server.address })
    expect(await works(tokenIn(server!), session)).toBe(true)
  })

  it.skipIf(!sandboxWorks())('X7 works as a program inside the sandbox, where our socket is hidden', async () => {
    const session = await harness.start({ agent: 'programs', isolation: 'sandbox' })
    const call = { name: 'remote_log', arguments: { message: 'from inside' } }
    await harness.say(session, `tool ${JSON.stringify(call)}`)
    expect(await harness.said(session)).toContain('"posted":')
    expect((await harness.detail(session)).messages.map(({ content }) => content['text'])).toContain('from inside')
  })

  it('X7 gets another name if the operator has a server with the same name', async () => {
    await harness.start({ agent: 'crowded' })
    expect((await servers('crowded')).map(({ name }) => name)).toEqual(['signalbox', 'signalbox-2'])
  })

  it('X7 a token outlives the server, and ends with its session', async () => {
    const session = await harness.start({ agent: 'usual' })
    const token = tokenIn((await servers('usual'))[0]!)
    await harness.server.kill('SIGKILL')
    await harness.server.restart()
    expect(await works(token, session)).toBe(true)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    await until(async () => !(await works(token, session)), { what: 'the end of the token' })
  })

  it.each([
    ['usual', 'session/resume'],
    ['loads', 'session/load'],
  ] as const)('X7 the agent %s gets another token by %s', async (kind, method) => {
    const session = await harness.start({ agent: kind })
    const before = tokenIn((await servers(kind))[0]!)
    const next = await harness.api.post<AgentSession>(`/api/sessions/${session.id}/restart`, {})
    expect((await opened(kind)).method).toBe(method)
    const after = tokenIn((await servers(kind))[0]!)
    expect(after).not.toBe(before)
    expect(await works(after, next)).toBe(true)
    await until(async () => !(await works(before, session)), { what: 'the end of the old token' })
  })

  it('X7 a recovered agent gets another token, and the lost process’s token is invalid', async () => {
    const session = await harness.start({ agent: 'usual' })
    const before = tokenIn((await servers('usual'))[0]!)
    process.kill(harness.keeperPid()!, 'SIGKILL')
    await harness.become(session, 'interrupted')
    await until(async () => !(await works(before, session)), { what: 'the end of the token' })
    await harness.api.post(`/api/sessions/${session.id}/recover`)
    await harness.become(session, 'active')
    const after = tokenIn((await servers('usual'))[0]!)
    expect([after === before, await works(after, session)]).toEqual([false, true])
  })

  const recorded = (agent: string) => {
    const file = fileURLToPath(new URL(`../fixtures/acp/own-tools/${agent}.json`, import.meta.url))
    const { messages } = JSON.parse(readFileSync(file, 'utf8')) as { messages: { method: string; params: object }[] }
    const at = messages.findIndex(({ method }) => method === 'session/request_permission')
    return messages.slice(0, at + 1).map(({ method, params }) => ({ method, params }))
  }

  it.each(['claude', 'codex', 'codexzed', 'gemini', 'qwen'])(
    'X7 what %s asks before it calls one of our tools is answered by policy:own-tool, and never open for people',
    async (agent) => {
      const session = await harness.start({ agent: 'usual' })
      const said = await harness.say(session, `ask ${JSON.stringify(recorded(agent))}`)
      expect(JSON.parse(said)).toMatchObject({ outcome: { outcome: 'selected', optionId: expect.any(String) } })
      const [ask, ...more] = await asksOf(session)
      expect(more).toEqual([])
      expect(ask).toMatchObject({
        kind: 'permission',
        status: 'answered',
        answer: { outcome: 'approve' },
        answeredBy: 'policy:own-tool',
        automatic: true,
      })
      expect(ask!.answeredAt).toBe(ask!.createdAt)
    },
  )

  it('X7 a command, a change or a foreign server named like one of our tools is asked about', async () => {
    const [message] = recorded('qwen').slice(-1)
    const { toolCall, ...rest } = message!.params as { toolCall: Record<string, unknown> }
    const spoofs = [
      { kind: 'execute', rawInput: { command: 'rm -rf /' } },
      { content: [{ type: 'diff', path: 'a.txt', oldText: null, newText: 'x' }] },
      { _meta: { toolName: 'mcp__other__ask_approval' } },
      { _meta: {}, title: 'mcp__signalbox__ask_approval' },
      { _meta: { toolName: 'mcp__signalbox__no_such_tool' } },
    ]
    const session = await harness.start({ agent: 'usual' })
    for (const [index, spoof] of spoofs.entries()) {
      const params = { ...rest, toolCall: { ...toolCall, toolCallId: `spoof-${index}`, ...spoof } }
      const turn = await harness.prompt(session, `ask ${JSON.stringify([{ ...message, params }])}`)
      const ask = await harness.openAsk(session)
      expect(ask).toMatchObject({ status: 'open', automatic: false })
      await harness.answer(ask, { outcome: 'reject' })
      await harness.settled(turn)
    }
  })

  it('R17 messages an agent gets from its open wait do not interrupt its turn', async () => {
    const session = await harness.start({ agent: 'usual' })
    const call = { name: 'wait_for_instruction', arguments: { message: 'What now?' } }
    const turn = await harness.prompt(session, `tool ${JSON.stringify(call)}`)
    await until(async () => (await asksOf(session)).some(({ kind }) => kind === 'wait'), { what: 'the wait' })
    await harness.prompt(session, 'paint it blue', 'now')
    await harness.settled(turn)
    expect(JSON.parse(await harness.said(session))).toMatchObject({ status: 'resumed', instruction: 'paint it blue' })
    const prompts = (await heardBy('usual')).filter(({ params }) => params?.prompt?.[0]?.text === 'paint it blue')
    expect(prompts).toEqual([])
  })

  const alertOf = async ({ id }: { id: string }) => {
    const { alerts } = await harness.api.get<{ alerts: { id: string; sessionId: string }[] }>('/api/alerts')
    return alerts.find(({ sessionId }) => sessionId === id)
  }

  it('R16 a public agent that is nudged is cancelled, then prompted', async () => {
    const session = await harness.start({ agent: 'usual' })
    await harness.prompt(session, 'wait')
    const alert = await until(() => alertOf(session), { seconds: 20, what: 'the alert' })
    await harness.api.post(`/api/alerts/${alert.id}/nudge`, { message: `go on, ${session.id}` })
    const nudged = async () =>
      (await heardBy('usual')).some(({ params }) => params?.prompt?.[0]?.text.includes(`go on, ${session.id}`))
    await until(nudged, { what: 'the prompt' })
    expect((await heardBy('usual')).some(({ method }) => method === 'nudge')).toBe(false)
  })

  it('X8 an agent that uses the dialect gets the nudge in the middle of its turn', async () => {
    const session = await harness.start({ agent: 'loads' })
    const turn = await harness.prompt(session, 'beat')
    const alert = await until(() => alertOf(session), { seconds: 20, what: 'the alert' })
    await harness.api.post(`/api/alerts/${alert.id}/nudge`, { message: `go on, ${session.id}` })
    const nudge = async () =>
      (await heardBy('loads')).find(({ method, params }) => method === 'nudge' && params?.message?.includes(session.id))
    const heard = await until(nudge, { what: 'the nudge' })
    expect(heard.params).toEqual({ message: `go on, ${session.id}` })
    expect((await heardBy('loads')).some(({ params }) => params?.prompt?.[0]?.text.includes(session.id))).toBe(false)
    expect((await harness.detail(session)).agentState?.turn).toMatchObject({ itemId: turn.id, cancelled: false })
  })
})

describe('without our own tools', () => {
  it('X7 agents get only what the operator configured, and no token', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sbo-'))
    const log = join(folder, 'log.jsonl')
    const args = [program, log, 'qwen-code', JSON.stringify(all)]
    const agent = `[agents.usual]\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${JSON.stringify(args)}\n`
    await using harness = await openAgentsHarness({ config: `[acp]\nown_tools = false\n${agent}` })
    await harness.start({ agent: 'usual' })
    const lines = ((await read(log)) ?? '').trim().split('\n')
    const opened = lines.map((line) => JSON.parse(line) as Heard).find(({ method }) => method === 'session/new')
    expect(opened?.params?.mcpServers).toEqual([])
    expect(await harness.api.list<Token>('/api/tokens')).toEqual([])
    await rm(folder, { recursive: true, force: true })
  })
})
