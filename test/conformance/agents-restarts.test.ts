import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { campaignSeed, figure, scale } from '../support/scale.ts'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, notesOf, type AgentsHarness } from './agents-harness.ts'
import type { Session } from './shapes.ts'

type Life = { id: string; startedAt: string; endedAt: string | null; exitCode: number | null; stderr: string }

const lives = async (harness: AgentsHarness, { id }: { id: string }): Promise<Life[]> =>
  (await harness.api.get<{ lives: Life[] }>(`/api/sessions/${id}/agent-lives`)).lives

const words = async (harness: AgentsHarness, session: { id: string }) =>
  (await harness.detail(session)).messages
    .filter(({ role }) => role === 'user' || role === 'agent')
    .map(({ content }) => String(content['text']))

const restart = (harness: AgentsHarness, { id }: { id: string }, onWake?: string) =>
  harness.api.post<Session>(`/api/sessions/${id}/restart-agent`, onWake === undefined ? {} : { onWake })

describe.each(usualDatabases)('restarted agents on %s', (database) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ database, config: '[acp]\nmax_sessions = 1000\nrestart_on_crash = true\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('C9 restarted with an on_wake message: a new process of the same session, whose first prompt it is', async () => {
    const session = await harness.start()
    await harness.say(session, '/remember the parcel')
    const [before] = harness.running(session)
    expect(await restart(harness, session, '/recall')).toMatchObject({ id: session.id, status: 'active' })
    await harness.saying(session, 'I remember: the parcel')
    expect(await words(harness, session)).toEqual([
      '/remember the parcel',
      expect.any(String),
      '/recall',
      'I remember: the parcel',
    ])
    expect(harness.running(session)).not.toContain(before)
    expect(await lives(harness, session)).toMatchObject([{ endedAt: expect.any(String) }, { endedAt: null }])
  })

  it('C9 in a turn: the old process is ended in order and never gets the message; what is queued follows it', async () => {
    const session = await harness.start()
    await harness.say(session, '/remember the turn')
    const running = await harness.prompt(session, '/stall')
    const queued = await harness.prompt(session, '/say From the queue.')
    await until(async () => (await harness.detail(session)).agentState?.turn?.itemId === running.id)
    await restart(harness, session, '/recall')
    await harness.settled(queued)
    const said = await words(harness, session)
    expect(said.filter((text) => text === '/recall')).toHaveLength(1)
    expect(said.slice(said.indexOf('/recall'))).toEqual([
      '/recall',
      'I remember: the turn',
      '/say From the queue.',
      'From the queue.',
    ])
  })

  it('C9 an ask that was open over the restart is answered to the new process', async () => {
    const session = await harness.start()
    await harness.say(session, '/remember nothing')
    await harness.prompt(session, '/permit no-allow')
    const ask = await harness.openAsk(session)
    await restart(harness, session)
    expect(await harness.api.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'open' })
    const option = ask.subject.options.find(({ kind }) => kind === 'reject_once')
    await harness.answer(ask, { outcome: 'select', optionId: option?.optionId })
    await until(async () => (await words(harness, session)).some((text) => text.includes('you asked')))
  })

  it('C9 A9 the error output of every process of a session can be read, also after its end', async () => {
    const session = await harness.start()
    await harness.say(session, '/say one')
    await restart(harness, session)
    await harness.prompt(session, '/crash')
    await until(async () => (await lives(harness, session)).length === 3, { what: 'a third process' })
    await harness.api.delete(`/api/sessions/${session.id}`)
    const all = await lives(harness, session)
    expect(all).toHaveLength(3)
    expect(all.every(({ endedAt }) => endedAt !== null)).toBe(true)
    expect(all[1]).toMatchObject({ exitCode: expect.any(Number), stderr: expect.stringContaining('practice') })
  })

  it('A9 with restart_on_crash an agent that crashed is restarted later and later, with its conversation', async () => {
    const session = await harness.start()
    // It is told to continue, and remembers. At once: what it continues with may take long.
    const recalls = async ({ id }: { id: string }, times: number) => {
      const told = async () => (await words(harness, { id })).filter((text) => text.includes('You were interrupted'))
      await until(async () => (await told()).length === times, { what: 'a prompt to continue' })
      await harness.settled(await harness.prompt({ id }, '/recall', 'now'))
      expect(await harness.said({ id })).toBe('I remember: the crash')
    }
    await harness.say(session, '/remember the crash')
    const began = Date.now()
    await harness.prompt(session, '/crash')
    await until(async () => (await lives(harness, session)).length === 2, { what: 'a second process' })
    expect(Date.now() - began).toBeGreaterThan(900)
    await recalls(session, 1)
    const again = Date.now()
    await harness.prompt(session, '/crash')
    await until(async () => (await lives(harness, session)).length === 3, { what: 'a third process' })
    expect(Date.now() - again).toBeGreaterThan(4900)
    await recalls(session, 2)
    const notes = notesOf((await harness.detail(session)).messages)
    expect(notes[0]).toContain('will be restarted in 1 second')
    expect(notes[1]).toContain('will be restarted in 5 seconds')
    expect(await harness.detail(session)).toMatchObject({ status: 'active' })
  })

  it('X5 C9 killed at random moments of restarts and wakes: each message is delivered once, to one process', async () => {
    const rounds = scale({ test: 4, long: 60 })
    const random = lcg(campaignSeed())
    const session = await harness.start()
    await harness.say(session, '/remember the campaign')
    let lost = 0
    let twice = 0
    for (let round = 0; round < rounds; round += 1) {
      const text = `/say round ${round}`
      const path = `/api/sessions/${session.id}`
      const act =
        round % 2 === 0
          ? harness.api.send('POST', `${path}/restart-agent`, { body: { onWake: text } })
          : harness.api
              .send('POST', `${path}/sleep`, { body: {} })
              .then(() => harness.api.send('POST', `${path}/prompt`, { body: { text } }))
      const outcome = act.then(({ status }) => status < 300).catch(() => null)
      await waitMs(random() * 700)
      await harness.server.kill('SIGKILL')
      const accepted = await outcome
      await harness.server.restart()
      const isThere = async () => {
        const { items } = await harness.api.get<{ items: { text: string; status: string }[] }>(`${path}/queue`)
        const mine = items.filter((item) => item.text === text)
        // Sent when the server died: the agent got it, or gets it now.
        return mine.length === 0 ? accepted !== true : mine.every(({ status }) => status === 'delivered')
      }
      await until(isThere, { what: `the end of round ${round}` })
      const said = await words(harness, session)
      const sent = said.filter((one) => one === text).length
      const answers = said.filter((one) => one === `round ${round}`).length
      if (accepted === true && (sent === 0 || answers === 0)) lost += 1
      if (sent > 1 || answers > 1) twice += 1
      expect(await harness.detail(session)).toMatchObject({ status: 'active' })
    }
    expect(await harness.say(session, '/recall')).toBe('I remember: the campaign')
    figure('kill -9 in restarts and wakes', `${rounds} kills: ${lost} messages lost, ${twice} delivered twice`)
    expect({ lost, twice }).toEqual({ lost: 0, twice: 0 })
  })
})

const waitMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The same sequence for the same seed. */
function lcg(seed: number): () => number {
  let state = seed % 2147483647 || 1
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
