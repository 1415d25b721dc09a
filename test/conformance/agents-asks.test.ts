import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { openAgentsHarness, read, toolsOf, type OpenAsk, type AgentsHarness } from './agents-harness.ts'

const allow = { outcome: 'select', optionId: 'allow' }

describe('asks from agents', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('X7 a permission is an ask with the agent’s own options and the diff', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/write hello.txt Hello there.')
    const ask = await harness.openAsk(session)
    const path = `${session.workspaceRoot}/hello.txt`
    expect(ask).toMatchObject({
      kind: 'permission',
      origin: 'acp',
      title: 'Write hello.txt',
      status: 'open',
      subject: {
        kind: 'permission',
        toolCall: { kind: 'edit', content: [{ type: 'diff', path, oldText: null, newText: 'Hello there.\n' }] },
        options: [
          { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
          { optionId: 'allow-always', name: 'Allow for this session', kind: 'allow_always' },
          { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
        ],
      },
    })
    expect((await harness.detail(session)).waiting).toBe(true)
    expect(await read(path)).toBeNull()
    const answered = await harness.answer(ask, allow)
    expect(answered).toMatchObject({ status: 'answered', answeredBy: `user:${session.ownerUserId}`, automatic: false })
    await harness.settled(turn)
    expect(await read(path)).toBe('Hello there.\n')
    const { messages, waiting } = await harness.detail(session)
    expect(waiting).toBe(false)
    expect(toolsOf(messages)).toMatchObject([{ status: 'completed', toolCallId: ask.subject.toolCall['toolCallId'] }])
    const late = await harness.api.refused('POST', `/api/asks/${ask.id}/answer`, allow)
    expect(late.status).toBe(409)
  })

  it('X7 a rejection picks the option that rejects, and nothing is written', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/write hello.txt No.')
    await harness.answer(await harness.openAsk(session), { outcome: 'reject', reason: 'not now' })
    await harness.settled(turn)
    expect(await harness.said(session)).toBe('write hello.txt: not allowed')
    expect(await read(session.workspaceRoot, 'hello.txt')).toBeNull()
    expect(toolsOf((await harness.detail(session)).messages)).toMatchObject([{ status: 'rejected' }])
  })

  it.each([
    ['only-always', { outcome: 'reject' }, 'reject-always'],
    ['only-always', { outcome: 'select', optionId: 'allow-always' }, 'allow-always'],
    ['no-allow', { outcome: 'reject' }, 'reject'],
    ['no-reject', { outcome: 'reject' }, 'cancelled'],
    ['no-reject', { outcome: 'approve' }, 'allow'],
  ])('X7 with the options of %s, %o becomes %s', async (kind, answer, told) => {
    const session = await harness.start()
    const turn = await harness.prompt(session, `/permit ${kind}`)
    await harness.answer(await harness.openAsk(session), answer)
    await harness.settled(turn)
    expect(await harness.said(session)).toBe(`permit ${kind}: ${told}`)
  })

  it('X7 no approval if the agent offers no allow_once, and never an option it did not offer', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/permit only-always')
    const ask = await harness.openAsk(session)
    for (const answer of [{ outcome: 'approve' }, { outcome: 'select', optionId: 'allow' }]) {
      const refusal = await harness.api.refused('POST', `/api/asks/${ask.id}/answer`, answer)
      expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining('allow-always') })
    }
    expect((await harness.openAsk(session)).id).toBe(ask.id)
    await harness.answer(ask, { outcome: 'reject' })
    await harness.settled(turn)
  })

  it('X7 two simultaneous permissions are two asks, answered in any order', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/permit parallel')
    const asks = await harness.openAsks(session, 2)
    const named = (name: string) => asks.find(({ title }) => title.includes(name)) as OpenAsk
    await harness.answer(named('second'), allow)
    await harness.answer(named('first'), { outcome: 'reject' })
    await harness.settled(turn)
    expect(await harness.said(session)).toBe('permit parallel: reject, allow')
  })

  it('X7 "always" is reported to the agent as once, so that it asks again, and is answered for this session', async () => {
    const session = await harness.start()
    const first = await harness.prompt(session, '/run true')
    const ask = await harness.openAsk(session)
    await harness.answer(ask, { outcome: 'select', optionId: 'allow-always' })
    await harness.settled(first)
    expect(await harness.said(session)).toBe('run true: done')
    expect(await harness.say(session, '/run true')).toBe('run true: done')
    const { asks } = await harness.api.get<{ asks: (OpenAsk & { answeredBy: string })[] }>(
      `/api/asks?sessionId=${session.id}`,
    )
    expect(asks.map(({ answeredBy }) => answeredBy)).toEqual([`session:${ask.id}`, expect.stringMatching(/^user:/)])
    const notes = (await harness.detail(session)).messages.filter(({ role }) => role === 'system')
    expect(notes.map(({ content }) => content['text'])).toContainEqual(
      expect.stringMatching(/^Allowed for this session: /),
    )
  })

  it('X7 cancelling the turn withdraws its asks', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/permit parallel')
    const asks = await harness.openAsks(session, 2)
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(turn)
    for (const { id } of asks) {
      await until(async () => (await harness.api.get<OpenAsk>(`/api/asks/${id}`)).status !== 'open')
      expect(await harness.api.get(`/api/asks/${id}`)).toMatchObject({ status: 'cancelled', answer: null })
    }
    expect((await harness.detail(session)).waiting).toBe(false)
    expect(await harness.say(session, '/say Fine.')).toBe('Fine.')
  })

  it.each([
    [{ outcome: 'accept', content: { answer: 'green' } }, 'ask: green'],
    [{ outcome: 'decline' }, 'ask: no answer'],
  ])('X7 a form from the agent is an ask with its schema; %o', async (answer, said) => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/ask Which signal?')
    const ask = await harness.openAsk(session)
    expect(ask).toMatchObject({
      kind: 'elicitation',
      title: 'Which signal?',
      subject: {
        message: 'Which signal?',
        schema: { type: 'object', required: ['answer'], properties: { answer: { type: 'string' } } },
      },
    })
    await harness.answer(ask, answer)
    await harness.settled(turn)
    expect(await harness.said(session)).toBe(said)
  })

  it('X7 a form withdrawn with its turn is cancelled', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/ask Which signal?')
    const ask = await harness.openAsk(session)
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(turn)
    await until(async () => (await harness.api.get<OpenAsk>(`/api/asks/${ask.id}`)).status !== 'open')
    expect(await harness.api.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'cancelled' })
  })

  it('X7 the end of a session interrupts its asks', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/permit no-allow')
    const ask = await harness.openAsk(session)
    await harness.api.delete(`/api/sessions/${session.id}`)
    expect(await harness.api.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'interrupted' })
  })
})

describe('agents that wait too long for an answer', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ config: '[timeouts]\napproval_seconds = 1\nstartup_grace_seconds = 0\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.each([
    ['no-allow', 'reject'],
    ['only-always', 'reject-always'],
    ['no-reject', 'cancelled'],
  ])('X7 with %s an expired permission is reported as %s, never as an approval', async (kind, told) => {
    const session = await harness.start()
    const turn = await harness.prompt(session, `/permit ${kind}`)
    const { id } = await harness.openAsk(session)
    await harness.settled(turn)
    expect(await harness.said(session)).toBe(`permit ${kind}: ${told}`)
    expect(await harness.api.get(`/api/asks/${id}`)).toMatchObject({ status: 'expired', answer: null })
    const late = await harness.api.refused('POST', `/api/asks/${id}/answer`, { outcome: 'reject' })
    expect([late.status, late.message]).toEqual([409, expect.stringMatching(/expired/)])
  })
})

describe('what agents report about themselves', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const stateOf = async (session: { id: string }) => (await harness.detail(session)).agentState!

  it('X7 reports its name, capabilities, modes, options and commands', async () => {
    const session = await harness.start()
    await until(async () => (await stateOf(session)).commands.length > 0)
    const state = await stateOf(session)
    expect(state).toMatchObject({
      protocolVersion: 1,
      capabilities: { loadSession: true },
      modes: { currentModeId: 'careful', availableModes: [{ id: 'careful' }, { id: 'quick' }] },
      configOptions: [{ id: 'speed', currentValue: 'normal' }],
      turn: null,
    })
    expect(state.commands.map(({ name }) => name)).toEqual(expect.arrayContaining(['say', 'write', 'crash']))
  })

  it('X7 a mode is set by a person or by the agent itself', async () => {
    const session = await harness.start()
    const path = `/api/sessions/${session.id}/mode`
    expect(await harness.api.post(path, { modeId: 'quick' })).toMatchObject({ modes: { currentModeId: 'quick' } })
    // In this mode it writes without asking.
    expect(await harness.say(session, '/write a.txt b')).toBe('write a.txt: done')
    await harness.say(session, '/mode careful')
    expect((await stateOf(session)).modes?.currentModeId).toBe('careful')
    const refusal = await harness.api.refused('POST', path, { modeId: 'reckless' })
    expect(refusal.status).toBeGreaterThanOrEqual(400)
    expect((await stateOf(session)).modes?.currentModeId).toBe('careful')
  })

  it('X7 an option is set, and an unknown one is refused', async () => {
    const session = await harness.start()
    const path = `/api/sessions/${session.id}/options`
    const state = await harness.api.post(path, { optionId: 'speed', value: 'fast' })
    expect(state).toMatchObject({ configOptions: [{ id: 'speed', currentValue: 'fast' }] })
    await harness.api.refused('POST', path, { optionId: 'colour', value: 'red' })
    expect((await stateOf(session)).configOptions).toMatchObject([{ id: 'speed', currentValue: 'fast' }])
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    for (const body of [{ optionId: 'speed', value: 'normal' }])
      expect((await harness.api.refused('POST', path, body)).status).toBe(409)
  })

  it('X7 usage is kept as the agent reports it', async () => {
    const session = await harness.start()
    await harness.say(session, '/usage 1200 0.25')
    expect((await stateOf(session)).usage).toMatchObject({ used: 1200, costUsd: 0.25, size: expect.any(Number) })
  })

  it('X7 lists known agents and which are installed, and checks them on request', async () => {
    type Listed = { agents: { name: string; installed: boolean; answers: boolean | null; isDefault: boolean }[] }
    const plain = await harness.api.get<Listed>('/api/agents')
    expect(plain.agents.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['practice', 'gemini', 'claude', 'codex', 'opencode']),
    )
    const practice = ({ agents }: Listed) => agents.find(({ name }) => name === 'practice')
    expect(practice(plain)).toMatchObject({ installed: true, isDefault: true, answers: null })
    for (const agent of plain.agents) expect(agent).toMatchObject({ install: expect.stringMatching(/\S/) })
    expect(practice(await harness.api.get('/api/agents?probe=true'))).toMatchObject({
      answers: true,
      protocolVersion: 1,
      version: expect.stringMatching(/^\d+\./),
      error: null,
    })
    expect(harness.running().length).toBeGreaterThan(0)
  })
})
