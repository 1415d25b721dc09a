import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { notesOf, openYard, plainAgent, read, type OpenAsk, type Yard } from './agents-yard.ts'

describe('the seed’s own stream methods', () => {
  let yard: Yard
  beforeAll(async () => {
    yard = await openYard()
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  const asked = async (style: string, what: 'clearance' | 'prompt', answer: Record<string, unknown>) => {
    const session = await yard.start()
    const turn = await yard.prompt(session, `/seed ${what} ${style}`)
    const ask = await yard.openAsk(session)
    await yard.answer(ask, answer)
    await yard.settled(turn)
    const said = await yard.said(session)
    const [, method, id, params] = /^(\S+) id=(\S+) (.*)$/s.exec(said) ?? []
    return { ask, method, id: JSON.parse(id ?? 'null') as unknown, params: JSON.parse(params ?? 'null') as object }
  }

  it.each([
    ['number', 'number'],
    ['string', 'string'],
    ['params-number', 'number'],
    ['params-string', 'string'],
  ])('X8 clearance/request with its id as %s is answered under that id, with its type', async (style, type) => {
    const { ask, method, id, params } = await asked(style, 'clearance', { outcome: 'approve' })
    expect(ask).toMatchObject({
      kind: 'diff',
      origin: 'clearance/request',
      title: 'Write signalbox-practice.md',
      description: 'The practice agent asks by a stream method of its own.',
      riskLevel: 'low',
      subject: { filePath: 'signalbox-practice.md', diff: expect.stringContaining('+Written by the practice agent.') },
    })
    expect([method, typeof id, params]).toEqual([
      'clearance/response',
      type,
      expect.objectContaining({ status: 'approved' }),
    ])
  })

  it('X8 a clearance that is rejected says so, with the reason', async () => {
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
    const session = await yard.start()
    await yard.say(session, '/seed status\n/seed heartbeat')
    await until(async () => notesOf((await yard.detail(session)).messages).includes('Half of the practice is done.'))
    const progress = async () =>
      ((await yard.api.get<Record<string, unknown>>(`/api/sessions/${session.id}`))['progressSnapshot'] ??
        null) as unknown
    await until(async () => (await progress()) !== null)
    expect(await progress()).toEqual([
      { label: 'Warm up', status: 'done' },
      { label: 'Practise', status: 'in_progress' },
    ])
  })

  it('X8 an agent that spoke so hears session/interrupt beside the cancel; one that did not never does', async () => {
    const speaker = await yard.start()
    await yard.say(speaker, '/seed heartbeat')
    const turn = await yard.prompt(speaker, '/seed heartbeat\n/stall forever')
    await until(async () => (await yard.detail(speaker)).agentState?.turn)
    await yard.api.post(`/api/sessions/${speaker.id}/turn/cancel`)
    await yard.settled(turn)
    const heard = async () =>
      (await yard.detail(speaker)).messages.some(({ content }) => String(content['text']).includes('session/interrupt'))
    expect(await until(heard, { what: 'session/interrupt' })).toBe(true)
  })

  it('X8 a clearance that ends with its turn is told as interrupted', async () => {
    const session = await yard.start()
    const turn = await yard.prompt(session, '/ignore-cancel\n/seed clearance string')
    const ask = await yard.openAsk(session)
    await yard.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await yard.settled(turn)
    expect((await yard.api.get<OpenAsk>(`/api/asks/${ask.id}`)).status).toBe('cancelled')
    expect(await yard.said(session)).toMatch(/clearance\/response id="practice-\d+" .*"interrupted"/)
  })

  it('X5 X8 a clearance asked before the server was killed is answered after it, under the same id', async () => {
    const session = await yard.start()
    const turn = await yard.prompt(session, '/seed clearance number')
    const ask = await yard.openAsk(session)
    await yard.server.kill('SIGKILL')
    await yard.server.restart()
    await yard.answer(ask, { outcome: 'approve' })
    await yard.settled(turn)
    expect(await yard.said(session)).toMatch(/^clearance\/response id=\d+ .*"approved"/)
  })
})

type Heard = { id?: unknown; method?: string; params?: Record<string, unknown> }

describe('what agents hear', () => {
  let yard: Yard
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
    yard = await openYard({ config: agents.join('') })
  })
  afterAll(async () => {
    await yard?.[Symbol.asyncDispose]()
    await rm(place, { recursive: true, force: true })
  })

  const heardBy = async (agent: string): Promise<Heard[]> =>
    ((await read(place, `${agent}.log`)) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Heard)

  it('X8 an agent configured as intercom is told by prompt/send and session/interrupt', async () => {
    const session = await yard.start({ agent: 'intercom' })
    await yard.settled(await yard.prompt(session, 'Good morning.'))
    const heard = await heardBy('intercom')
    expect(heard.map(({ method }) => method)).toEqual(['initialize', 'session/new', 'prompt/send'])
    expect(heard[2]?.params).toEqual({ text: 'Good morning.' })
  })

  it('X8 an agent that never spoke the dialect hears public ACP alone', async () => {
    const session = await yard.start({ agent: 'plain' })
    await yard.settled(await yard.prompt(session, 'Good morning.'))
    const turn = await yard.prompt(session, 'wait')
    await until(async () => (await heardBy('plain')).length === 4)
    expect(await yard.api.post(`/api/sessions/${session.id}/turn/cancel`)).toEqual({ cancelled: true })
    await yard.settled(turn)
    await yard.api.post(`/api/sessions/${session.id}/complete`)
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
    const session = await yard.start({ agent: 'plain' })
    const turn = await yard.prompt(session, 'clearances')
    const ask = await yard.openAsk(session)
    const responses = async () => (await heardBy('plain')).filter(({ method }) => method === 'clearance/response')
    await until(async () => (await responses()).length === 1)
    await yard.answer(ask, { outcome: 'approve' })
    await yard.settled(turn)
    const [refused, approved] = await responses()
    expect(refused?.params).toMatchObject({ status: 'rejected', reason: expect.stringMatching(/^approval_pending/) })
    expect(String(refused?.params?.['reason'])).toContain(ask.id)
    expect(approved?.params).toMatchObject({ status: 'approved' })
    expect([typeof refused?.id, typeof approved?.id].toSorted()).toEqual(['number', 'string'])
    expect([refused?.id, approved?.id].map(String)).toEqual(['7', '7'])
  })

  it('X7 initialize says what can be done here, and no more', async () => {
    await yard.start({ agent: 'bare' })
    const [hello] = await heardBy('bare')
    expect(hello?.params).toMatchObject({
      protocolVersion: 1,
      clientInfo: { name: 'signalbox', version: expect.any(String) },
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
  })

  it('X7 session/new has the workspace and the MCP servers of the configuration', async () => {
    const session = await yard.start({ agent: 'served' })
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
