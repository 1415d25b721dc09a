import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { notesOf, openAgentsHarness, plainAgent, read, type OpenAsk, type AgentsHarness } from './agents-harness.ts'

describe('the original stream methods', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const asked = async (style: string, what: 'clearance' | 'prompt', answer: Record<string, unknown>) => {
    const session = await harness.start()
    const turn = await harness.prompt(session, `/seed ${what} ${style}`)
    const ask = await harness.openAsk(session)
    await harness.answer(ask, answer)
    await harness.settled(turn)
    const said = await harness.said(session)
    const [, method, id, params] = /^(\S+) id=(\S+) (.*)$/s.exec(said) ?? []
    return { ask, method, id: JSON.parse(id ?? 'null') as unknown, params: JSON.parse(params ?? 'null') as object }
  }

  it.each([
    ['number', 'number'],
    ['string', 'string'],
    ['params-number', 'number'],
    ['params-string', 'string'],
  ])('X8 clearance/request with its id as %s is answered under that id, of the same type', async (style, type) => {
    const { ask, method, id, params } = await asked(style, 'clearance', { outcome: 'approve' })
    expect(ask).toMatchObject({
      kind: 'diff',
      origin: 'clearance/request',
      title: 'Write signalbox-practice.md',
      description: 'The practice agent asks with its own stream method.',
      riskLevel: 'low',
      subject: { filePath: 'signalbox-practice.md', diff: expect.stringContaining('+Written by the practice agent.') },
    })
    expect([method, typeof id, params]).toEqual([
      'clearance/response',
      type,
      expect.objectContaining({ status: 'approved' }),
    ])
  })

  it('X8 a rejected clearance is reported with the reason', async () => {
    const { params } = await asked('number', 'clearance', { outcome: 'reject', reason: 'not today' })
    expect(params).toMatchObject({ status: 'rejected', reason: 'not today' })
  })

  it.each([
    [{ outcome: 'continue' }, { decision: 'continue' }],
    [
      { outcome: 'refine', instruction: 'but slowly' },
      { decision: 'refine', instruction: 'but slowly' },
    ],
    [{ outcome: 'stop' }, { decision: 'stop' }],
  ])('X8 prompt/forward answered with %o', async (answer, decision) => {
    for (const [style, type] of [
      ['number', 'number'],
      ['params-string', 'string'],
    ] as const) {
      const { ask, method, id, params } = await asked(style, 'prompt', answer)
      expect(ask).toMatchObject({ kind: 'prompt', subject: { text: 'Shall I continue?', promptType: 'continuation' } })
      expect([method, typeof id]).toEqual(['prompt/response', type])
      expect(params).toMatchObject(decision)
    }
  })

  it('X8 status/update is a message, heartbeat is progress', async () => {
    const session = await harness.start()
    await harness.say(session, '/seed status\n/seed heartbeat')
    await until(async () => notesOf((await harness.detail(session)).messages).includes('Half of the practice is done.'))
    const progress = async () =>
      ((await harness.api.get<Record<string, unknown>>(`/api/sessions/${session.id}`))['progressSnapshot'] ??
        null) as unknown
    await until(async () => (await progress()) !== null)
    expect(await progress()).toEqual([
      { label: 'Warm up', status: 'done' },
      { label: 'Practise', status: 'in_progress' },
    ])
  })

  it('X8 an agent that used the dialect gets session/interrupt as well as the cancel; others never do', async () => {
    const speaker = await harness.start()
    await harness.say(speaker, '/seed heartbeat')
    const turn = await harness.prompt(speaker, '/seed heartbeat\n/stall forever')
    await until(async () => (await harness.detail(speaker)).agentState?.turn)
    await harness.api.post(`/api/sessions/${speaker.id}/turn/cancel`)
    await harness.settled(turn)
    const heard = async () =>
      (await harness.detail(speaker)).messages.some(({ content }) =>
        String(content['text']).includes('session/interrupt'),
      )
    expect(await until(heard, { what: 'session/interrupt' })).toBe(true)
  })

  it('X8 a clearance that ends with its turn is reported as interrupted', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/ignore-cancel\n/seed clearance string')
    const ask = await harness.openAsk(session)
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(turn)
    expect((await harness.api.get<OpenAsk>(`/api/asks/${ask.id}`)).status).toBe('cancelled')
    expect(await harness.said(session)).toMatch(/clearance\/response id="practice-\d+" .*"interrupted"/)
  })

  it('X5 X8 a clearance requested before the server was killed is answered afterwards, under the same id', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/seed clearance number')
    const ask = await harness.openAsk(session)
    await harness.server.kill('SIGKILL')
    await harness.server.restart()
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(turn)
    expect(await harness.said(session)).toMatch(/^clearance\/response id=\d+ .*"approved"/)
  })
})

type Heard = { id?: unknown; method?: string; params?: Record<string, unknown> }

describe('what agents are sent', () => {
  let harness: AgentsHarness
  let place: string
  const servers = `mcp_servers = [
  { name = "notes", command = "notes-server", args = ["--all"], env = { NOTES = "here" } },
  { name = "far", url = "http://127.0.0.1:9/mcp", headers = { X-Key = "k" } },
]`
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'sb-heard-'))
    const logging = (name: string, more = '') => plainAgent(name, [join(place, `${name}.log`)], more)
    const agents = [
      logging('intercom', 'dialect = "intercom"'),
      logging('plain'),
      logging('served', servers),
      logging('bare', 'client_fs = false\nclient_terminal = false'),
    ]
    harness = await openAgentsHarness({ config: agents.join('') })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(place, { recursive: true, force: true })
  })

  const heardBy = async (agent: string): Promise<Heard[]> =>
    ((await read(place, `${agent}.log`)) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Heard)

  it('X8 an agent configured as intercom gets prompt/send and session/interrupt', async () => {
    const session = await harness.start({ agent: 'intercom' })
    await harness.settled(await harness.prompt(session, 'Good morning.'))
    const heard = await heardBy('intercom')
    expect(heard.map(({ method }) => method)).toEqual(['initialize', 'session/new', 'prompt/send'])
    expect(heard[2]?.params).toEqual({ text: 'Good morning.' })
  })

  it('X8 an agent that never used the dialect gets public ACP only', async () => {
    const session = await harness.start({ agent: 'plain' })
    await harness.settled(await harness.prompt(session, 'Good morning.'))
    const turn = await harness.prompt(session, 'wait')
    await until(async () => (await heardBy('plain')).length === 4)
    expect(await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)).toEqual({ cancelled: true })
    await harness.settled(turn)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    const heard = await heardBy('plain')
    expect(heard.map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
      'session/prompt',
      'session/cancel',
    ])
    expect(heard[2]?.params).toMatchObject({ sessionId: 'one', prompt: [{ type: 'text', text: 'Good morning.' }] })
    expect(heard[4]).not.toHaveProperty('id')
  })

  it('X8 one clearance at a time: the second is refused with the first’s id, each under its own id', async () => {
    const session = await harness.start({ agent: 'plain' })
    const turn = await harness.prompt(session, 'clearances')
    const ask = await harness.openAsk(session)
    const responses = async () => (await heardBy('plain')).filter(({ method }) => method === 'clearance/response')
    await until(async () => (await responses()).length === 1)
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(turn)
    const [refused, approved] = await responses()
    expect(refused?.params).toMatchObject({ status: 'rejected', reason: expect.stringMatching(/^approval_pending/) })
    expect(String(refused?.params?.['reason'])).toContain(ask.id)
    expect(approved?.params).toMatchObject({ status: 'approved' })
    expect([typeof refused?.id, typeof approved?.id].toSorted()).toEqual(['number', 'string'])
    expect([refused?.id, approved?.id].map(String)).toEqual(['7', '7'])
  })

  it('X7 initialize reports exactly the supported capabilities', async () => {
    await harness.start({ agent: 'bare' })
    const [hello] = await heardBy('bare')
    expect(hello?.params).toMatchObject({
      protocolVersion: 1,
      clientInfo: { name: 'signalbox', version: expect.any(String) },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
  })

  it('X7 session/new has the workspace and the configured MCP servers', async () => {
    const session = await harness.start({ agent: 'served' })
    const [, opened] = await heardBy('served')
    expect(opened?.params).toEqual({
      cwd: session.workspaceRoot,
      mcpServers: [
        { name: 'notes', command: 'notes-server', args: ['--all'], env: [{ name: 'NOTES', value: 'here' }] },
        { type: 'http', name: 'far', url: 'http://127.0.0.1:9/mcp', headers: [{ name: 'X-Key', value: 'k' }] },
        expect.objectContaining({ name: 'signalbox', command: process.execPath }),
      ],
    })
  })
})
