import { describe, expect, it } from 'vitest'
import { isAlive } from '../support/keeper.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import {
  fault,
  openAcpHarness,
  peakMegabytes,
  rogue,
  textOf,
  watchBystander,
  type AgentSession,
  type AcpHarness,
} from '../support/acp-harness.ts'
import { until } from '../support/until.ts'

const quickMs = 5000

/** A misbehaving agent, while another session works and must not notice. */
async function beside(harness: AcpHarness, work: () => Promise<void>): Promise<void> {
  const bystander = await watchBystander(harness)
  await work()
  const { text, expected, answeredMs } = await bystander.unharmed()
  expect(text).toBe(expected)
  expect(answeredMs).toBeLessThan(quickMs)
  await harness.server.api().delete(`/api/sessions/${bystander.session.id}`)
}

const says = (harness: AcpHarness, session: AgentSession, words: RegExp) =>
  until(async () => words.exec(textOf((await harness.detail(session)).messages)), { what: `the words ${words}` })

const lastNote = async (harness: AcpHarness, session: AgentSession): Promise<string> => {
  const { messages } = await harness.detail(session)
  return String(messages.findLast(({ role }) => role === 'system')?.content['text'])
}

/** A slot is free again: a session whose agent is gone does not count. */
async function expectNoneLeft(harness: AcpHarness, session: AgentSession): Promise<void> {
  const { sessions } = await harness.server.api().get<{ sessions: AgentSession[] }>('/api/sessions?status=active')
  expect(sessions.map(({ id }) => id)).not.toContain(session.id)
  await until(async () => (await harness.running(session)).length === 0, { what: 'the end of all it started' })
}

// Each has its own server, and mostly waits for a forced end.
describe.concurrent('an agent that no longer responds', () => {
  it('because it closed its output is ended; its session fails with its text kept', async () => {
    await using harness = await openAcpHarness({ faults: [fault('closestdout')] })
    await beside(harness, async () => {
      const session = await harness.start('closestdout')
      await harness.prompt(session, 'go')
      const { messages } = await harness.becomes(session, 'error')
      expect(textOf(messages)).toBe('before')
      expect(await lastNote(harness, session)).toMatch(/error.*exited/s)
      await expectNoneLeft(harness, session)
    })
  })

  it('because it does not read takes no more memory than a few large prompts, and is ended on request', async () => {
    await using harness = await openAcpHarness({
      faults: [fault('blockstdin')],
      config: '[http]\nbody_limit_bytes = 8000000\n',
    })
    await beside(harness, async () => {
      const session = await harness.start('blockstdin')
      for (let n = 0; n < 4; n += 1) await harness.prompt(session, 'x'.repeat(900_000))
      expect((await harness.queue(session)).map(({ status }) => status)).toEqual([
        'sent',
        'waiting',
        'waiting',
        'waiting',
      ])
      expect(await harness.server.api().post(`/api/sessions/${session.id}/turn/cancel`)).toEqual({ cancelled: true })
      const began = performance.now()
      await harness.server.api().delete(`/api/sessions/${session.id}`)
      expect(performance.now() - began).toBeLessThan(10_000)
      expect((await harness.detail(session)).status).toBe('cancelled')
      await expectNoneLeft(harness, session)
    })
    expect(peakMegabytes(harness.server.pid)).toBeLessThan(300)
  })

  it('because it is silent stays available for questions, and is diagnosed', async () => {
    await using harness = await openAcpHarness({
      faults: [fault('nopong')],
      config: '[stall]\ninactivity_threshold_seconds = 1\n',
    })
    await beside(harness, async () => {
      const session = await harness.start('nopong')
      await harness.prompt(session, 'go')
      const look = () => harness.server.api().get<{ cause: string }>(`/api/sessions/${session.id}/diagnosis`)
      await until(async () => (await look()).cause === 'model_silent', { what: 'that it is found to be silent' })
      expect((await harness.detail(session)).status).toBe('active')
      await harness.server.api().delete(`/api/sessions/${session.id}`)
      await expectNoneLeft(harness, session)
    })
  })
})

describe.concurrent('an agent that ends', () => {
  it('while it asks leaves a closed ask, and a session that says why', async () => {
    await using harness = await openAcpHarness({ faults: [fault('exitonask')] })
    await beside(harness, async () => {
      const session = await harness.start('exitonask')
      await harness.prompt(session, 'go')
      await harness.becomes(session, 'error')
      expect(await lastNote(harness, session)).toMatch(/code 3/)
      expect(await harness.asks(session)).toEqual([])
      await expectNoneLeft(harness, session)
    })
  })

  it('right after its answer is completed if the exit code is 0, and failed otherwise', async () => {
    await using harness = await openAcpHarness({
      faults: [rogue('answerexit'), { ...rogue('answerexit', '4'), name: 'failing' }],
    })
    const good = await harness.start('answerexit', { prompt: 'go' })
    const bad = await harness.start('failing', { prompt: 'go' })
    expect(textOf((await harness.becomes(good, 'completed')).messages)).toBe('all of it')
    expect(textOf((await harness.becomes(bad, 'error')).messages)).toBe('all of it')
    for (const session of [good, bad])
      expect((await harness.queue(session)).map(({ status }) => status)).toEqual(['delivered'])
    await until(async () => (await harness.running()).length === 0)
  })

  it.each(['exitatstart', 'badinit', 'badnew', 'slowstart'])(
    'or fails at the start (%s) has its session failed, and nothing left',
    async (kind) => {
      await using harness = await openAcpHarness({ faults: [fault(kind)], config: 'startup_timeout_seconds = 2\n' })
      const refused = await harness.server
        .api()
        .refused('POST', '/api/sessions', { agent: kind, workspaceRoot: harness.workspace })
      expect([refused.status, refused.code]).toEqual([502, 'agent_failed'])
      const session = { id: String(refused.details?.['sessionId']) }
      expect((await harness.detail(session)).status).toBe('error')
      await until(async () => (await harness.running()).length === 0)
    },
  )
})

describe.concurrent('an agent that ignores cancel', () => {
  it('continues its turn, and is killed when its session is cancelled', async () => {
    await using harness = await openAcpHarness({ faults: [fault('ignorecancel')] })
    await beside(harness, async () => {
      const session = await harness.start('ignorecancel')
      const prompt = await harness.prompt(session, 'go')
      await says(harness, session, /10 /)
      expect(await harness.server.api().post(`/api/sessions/${session.id}/turn/cancel`)).toEqual({ cancelled: true })
      await says(harness, session, /50 /)
      expect((await harness.queue(session)).find(({ id }) => id === prompt.id)?.status).toBe('sent')
      const began = performance.now()
      await harness.server.api().delete(`/api/sessions/${session.id}`)
      expect(performance.now() - began).toBeLessThan(10_000)
      expect((await harness.detail(session)).status).toBe('cancelled')
      await expectNoneLeft(harness, session)
    })
  })

  it('ends with the server within ten seconds if the server is told to end its agents', async () => {
    await using harness = await openAcpHarness({ faults: [fault('ignorecancel')] })
    const sessions = await Promise.all([
      harness.start('ignorecancel'),
      harness.start('ignorecancel'),
      harness.start('practice'),
    ])
    for (const session of sessions) await harness.prompt(session, '/ignore-cancel\n/slow 10000 20')
    for (const session of sessions) await says(harness, session, /5 /)
    const began = performance.now()
    await harness.server.api().post('/api/stop', { agents: 'end' })
    await until(() => !isAlive(harness.server.pid), { seconds: 15, what: 'the end of the server' })
    expect(performance.now() - began).toBeLessThan(11_000)
    expect(await harness.running()).toEqual([])
    expect(harness.keeperPid()).toBe(null)
    await harness.server.restart()
    for (const session of sessions) expect((await harness.detail(session)).status).toBe('interrupted')
  })
})

describe.concurrent.each(['none', 'sandbox'] as const)(
  'children that leave the process group, with isolation %s',
  (isolation) => {
    it.skipIf(isolation === 'sandbox' && !sandboxWorks())('end with the session, however it ends', async () => {
      await using harness = await openAcpHarness({
        faults: [{ ...fault('escape'), isolation }],
      })
      const ends: ((session: AgentSession) => Promise<unknown>)[] = [
        (session) => harness.server.api().delete(`/api/sessions/${session.id}`),
        (session) => harness.server.api().post(`/api/sessions/${session.id}/complete`),
        (session) => harness.server.api().post(`/api/sessions/${session.id}/terminate`),
      ]
      const sessions = await Promise.all(ends.map(() => harness.start('escape', { prompt: 'go' })))
      for (const session of sessions) await says(harness, session, /escaped/)
      expect((await harness.running()).length).toBeGreaterThanOrEqual(3 * ends.length)
      await Promise.all(sessions.map(async (session, index) => ends[index]?.(session)))
      await until(async () => (await harness.running()).length === 0, { what: 'the end of those that left' })
    })

    it.skipIf(isolation === 'sandbox' && !sandboxWorks())('end with an agent that is killed', async () => {
      await using harness = await openAcpHarness({ faults: [] })
      const session = await harness.start('practice', { isolation })
      await harness.prompt(session, '/leave sleep 1000\n/leave setsid sleep 1000\n/crash 9')
      for (let n = 0; n < 2; n += 1) await harness.answer(await harness.openAsk(session))
      expect(await harness.becomes(session, 'error')).toMatchObject({ status: 'error' })
      await until(async () => (await harness.running()).length === 0, { what: 'the end of those that left' })
    })
  },
)
