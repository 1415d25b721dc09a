import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { notesOf, openAgentsHarness, type AgentsHarness } from './agents-harness.ts'

type Diagnosis = { cause: string; since: string | null; detail: string; hint: string | null }

describe('budgets', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('B6 a session at the end of its budget pauses and asks; continuing raises the budget by the same amount', async () => {
    const session = await harness.start({ budget: { costUsd: 1 } })
    expect((await harness.detail(session)).agentState?.budget).toEqual({ costUsd: 1, tokens: null })
    await harness.say(session, '/usage 100 0.99')
    expect((await harness.detail(session)).status).toBe('active')
    await harness.prompt(session, '/usage 200 1.20\n/stall forever')
    const ask = await harness.openAsk(session)
    expect(ask).toMatchObject({ kind: 'prompt', subject: { promptType: 'resource_warning' }, expiresAt: null })
    expect(ask.title).toMatch(/\$1\.20 of \$1\.00/)
    await harness.become(session, 'paused')
    const refusal = await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: 'x' })
    expect(refusal.details).toEqual({ status: 'paused' })
    await harness.answer(ask, { outcome: 'refine', instruction: '/say Going on.' })
    await harness.become(session, 'active')
    await harness.saying(session, 'Going on.')
    expect((await harness.detail(session)).agentState?.budget).toEqual({ costUsd: 2.2, tokens: null })
    await harness.say(session, '/usage 300 2.10')
    expect((await harness.detail(session)).status).toBe('active')
    await harness.prompt(session, '/usage 400 2.20')
    const second = await harness.openAsk(session)
    expect(second.id).not.toBe(ask.id)
    await harness.become(session, 'paused')
    await harness.answer(second, { outcome: 'stop' })
    const ended = await harness.become(session, 'completed')
    expect(ended.metadata).toMatchObject({ reason: 'budget' })
    await until(() => harness.running(session).length === 0, { what: 'the end of the agent' })
  })

  it('B6 counts tokens too, and continues automatically after "continue"', async () => {
    const session = await harness.start({ budget: { tokens: 1000 } })
    await harness.prompt(session, '/usage 1000 0.01')
    const ask = await harness.openAsk(session)
    expect(ask.title).toMatch(/1000 of 1000 tokens/)
    await harness.become(session, 'paused')
    await harness.answer(ask, { outcome: 'continue' })
    await harness.become(session, 'active')
    const told = async () =>
      (await harness.detail(session)).messages.some(
        ({ role, content }) => role === 'user' && content['text'] === 'Continue.',
      )
    await until(told, { what: 'the agent told to go on' })
  })

  it('B6 asks once, even if the server is killed while it asks', async () => {
    const session = await harness.start({ budget: { costUsd: 1 } })
    await harness.prompt(session, '/usage 1 1\n/usage 2 2\n/usage 3 3\n/stall forever')
    await harness.openAsk(session)
    await harness.become(session, 'paused')
    await harness.server.kill('SIGKILL')
    await harness.server.restart()
    const ask = await harness.openAsk(session)
    expect((await harness.detail(session)).status).toBe('paused')
    await harness.answer(ask, { outcome: 'refine', instruction: '/say Fine.' })
    await harness.saying(session, 'Fine.')
  })

  it('B6 the configured budget applies to sessions without one', async () => {
    await using other = await openAgentsHarness({ config: '[acp]\nbudget_usd = 0.5\n' })
    const session = await other.start()
    await other.prompt(session, '/usage 1 0.50')
    expect((await other.openAsk(session)).title).toMatch(/\$0\.50 of \$0\.50/)
    await other.become(session, 'paused')
  })
})

describe('why nothing is happening', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({
      config: '[stall]\ninactivity_threshold_seconds = 1\n[acp]\nmax_sessions = 100\n',
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const diagnosis = (session: { id: string }) => harness.api.get<Diagnosis>(`/api/sessions/${session.id}/diagnosis`)
  const becomes = (session: { id: string }, cause: string) =>
    until(
      async () => {
        const found = await diagnosis(session)
        return found.cause === cause ? found : null
      },
      { what: `the cause ${cause}` },
    )

  it('B7 idle between turns, working in one', async () => {
    const session = await harness.start()
    expect((await diagnosis(session)).cause).toBe('idle')
    const turn = await harness.prompt(session, '/slow 60 20')
    await becomes(session, 'working')
    await harness.settled(turn)
    expect(await becomes(session, 'idle')).toMatchObject({ detail: expect.stringMatching(/waiting for a prompt/) })
  })

  it('B7 waiting for a person, with the ask and since when', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/permit no-allow')
    const ask = await harness.openAsk(session)
    expect(await diagnosis(session)).toMatchObject({
      cause: 'waiting_for_person',
      since: ask.createdAt,
      detail: expect.stringContaining(ask.title),
      hint: expect.any(String),
    })
  })

  it('B7 the model is silent', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/say Hm.\n/stall forever')
    const found = await becomes(session, 'model_silent')
    expect(Date.parse(found.since ?? '')).toBeLessThan(Date.now())
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await becomes(session, 'idle')
  })

  it('B7 the model refuses for now', async () => {
    const session = await harness.start()
    await harness.say(session, '/ratelimit')
    expect(await diagnosis(session)).toMatchObject({ cause: 'rate_limited', detail: expect.stringContaining('429') })
    expect(notesOf((await harness.detail(session)).messages).join()).toMatch(/Rate limit exceeded/)
    await harness.say(session, '/say Again.')
    expect((await diagnosis(session)).cause).toBe('idle')
  })

  it('B7 the last turn failed', async () => {
    const session = await harness.start()
    await harness.say(session, '/error The engine is cold.')
    expect(await diagnosis(session)).toMatchObject({ cause: 'idle', detail: expect.stringContaining('engine is cold') })
  })

  it('B7 it repeats itself', async () => {
    const session = await harness.start()
    const twice = await harness.prompt(session, '/repeat 2\n/stall forever')
    await becomes(session, 'model_silent')
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(twice)
    await harness.prompt(session, '/repeat 3\n/stall forever')
    expect(await becomes(session, 'looping')).toMatchObject({
      detail: expect.stringMatching(/Read the same file again .*3 times/),
    })
  })

  it('B7 a program it started does not return', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/run sleep 100')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    expect(await becomes(session, 'child_hung')).toMatchObject({ detail: expect.stringContaining('Run sleep 100') })
  })

  it('B7 paused, done and dead', async () => {
    const session = await harness.start()
    await harness.api.post(`/api/sessions/${session.id}/pause`)
    expect((await diagnosis(session)).cause).toBe('paused')
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    const { terminatedAt } = await harness.detail(session)
    expect(await diagnosis(session)).toMatchObject({ cause: 'done', since: terminatedAt })
    const crashed = await harness.start()
    await harness.prompt(crashed, '/crash')
    await harness.become(crashed, 'error')
    expect((await diagnosis(crashed)).cause).toBe('dead')
    const lost = await harness.start()
    process.kill(harness.keeperPid()!, 'SIGKILL')
    await harness.become(lost, 'interrupted')
    expect(await diagnosis(lost)).toMatchObject({ cause: 'dead', hint: expect.stringMatching(/recover/i) })
  })
})
