import { describe, expect, it } from 'vitest'
import { databases, usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, notesOf, plainAgent, type AgentsHarness, type QueueItem } from './agents-harness.ts'
import type { Session } from './shapes.ts'

type Shown = Session & { activity: string | null; sleepingSince: string | null }

const slots = (max: number, more = ''): string => `[acp]\nmax_sessions = ${max}\n${more}`

const shown = (harness: AgentsHarness, { id }: { id: string }) => harness.api.get<Shown>(`/api/sessions/${id}`)

const doing = (harness: AgentsHarness, session: { id: string }, activity: string | null) =>
  until(
    async () => {
      const now = await shown(harness, session)
      return now.activity === activity ? now : null
    },
    { what: `the session as ${activity}` },
  )

/** What the person said, in the order in which the agent got it. */
const prompted = async (harness: AgentsHarness, session: { id: string }): Promise<string[]> =>
  (await harness.detail(session)).messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => String(content['text']))

describe.each(databases)('slots on %s', (database) => {
  it('R4 slots are exact when twenty sessions start at once and idle ones give way', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(3) })
    const workspaceRoot = await harness.workspace()
    const body = { agent: 'practice', isolation: 'none', workspaceRoot, prompt: '/stall' }
    const idle = await Promise.all([harness.start(), harness.start(), harness.start()])
    const replies = await Promise.all(
      Array.from({ length: 12 }, () => harness.api.send('POST', '/api/sessions', { body })),
    )
    // Each of them is idle for a moment before it gets its prompt, and may give way to another one.
    expect(replies.filter(({ status }) => status !== 201 && status !== 429)).toEqual([])
    for (const session of idle) await doing(harness, session, 'asleep')
    const { sessions } = await harness.api.get<{ sessions: Shown[] }>('/api/sessions?limit=100')
    expect(sessions.filter(({ status, activity }) => status === 'active' && activity !== 'asleep')).toHaveLength(3)
    await until(() => new Set(harness.running()).size === 3, { what: 'three processes' })
  })
})

describe.each(usualDatabases)('sleeping agents on %s', (database) => {
  it('R4 if all slots are taken, the agent idle longest is put to sleep; a prompt wakes it with its conversation', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(2) })
    const first = await harness.start()
    await harness.say(first, '/remember the signal is green')
    const second = await harness.start()
    await harness.say(second, '/say Later.')
    expect((await shown(harness, first)).activity).toBe('idle')
    const third = await harness.start()
    expect(third.status).toBe('active')
    expect(await doing(harness, first, 'asleep')).toMatchObject({ status: 'active', sleepingSince: expect.any(String) })
    await until(() => harness.running(first).length === 0, { what: 'the end of the sleeping agent' })
    expect(harness.running(second)).not.toEqual([])
    // Now the second one is idle longest.
    expect(await harness.say(first, '/recall')).toBe('I remember: the signal is green')
    await doing(harness, second, 'asleep')
    expect(await doing(harness, first, 'idle')).toMatchObject({ sleepingSince: null })
    expect(notesOf((await harness.detail(first)).messages)).toEqual([])
  })

  it('R4 an agent in a turn, with an open ask or that can not resume stays awake: 429 says so', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(3, plainAgent('plain')) })
    const asking = await harness.start({ prompt: '/permit no-allow' })
    await harness.openAsk(asking)
    const working = await harness.start({ prompt: '/stall' })
    await doing(harness, working, 'working')
    expect((await shown(harness, asking)).activity).toBe('needs_you')
    const forgetful = await harness.start({ agent: 'plain' })
    await doing(harness, forgetful, 'idle')
    const refused = await harness.api.refused('POST', '/api/sessions', {
      agent: 'practice',
      isolation: 'none',
      workspaceRoot: await harness.workspace(),
    })
    expect(refused).toMatchObject({ status: 429, code: 'session_limit' })
    expect(refused.headers['retry-after']).toBe('60')
    expect((await shown(harness, forgetful)).activity).toBe('idle')
  })

  it('R4 prompts for a sleeping agent wait for a slot, one process takes them all, in order', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(1) })
    const first = await harness.start()
    await harness.say(first, '/remember first')
    const second = await harness.start({ prompt: '/stall' })
    await doing(harness, first, 'asleep')
    const items: QueueItem[] = []
    for (const text of ['/say one', '/say two', '/recall']) items.push(await harness.prompt(first, text))
    expect((await shown(harness, first)).activity).toBe('asleep')
    await harness.api.post(`/api/sessions/${second.id}/turn/cancel`)
    for (const item of items) await harness.settled(item)
    expect(await prompted(harness, first)).toEqual(['/remember first', '/say one', '/say two', '/recall'])
    expect(await harness.said(first)).toBe('I remember: first')
    await doing(harness, second, 'asleep')
    const { lives } = await harness.api.get<{ lives: unknown[] }>(`/api/sessions/${first.id}/agent-lives`)
    expect(lives).toHaveLength(2)
  })

  it('R4 two prompts at once wake one process', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(4) })
    const session = await harness.start()
    await harness.say(session, '/remember once')
    expect(await harness.api.post(`/api/sessions/${session.id}/sleep`, {})).toMatchObject({ activity: 'asleep' })
    expect(harness.running(session)).toEqual([])
    const items = await Promise.all(['/say a', '/say b', '/say c'].map((text) => harness.prompt(session, text)))
    for (const item of items) await harness.settled(item)
    expect((await prompted(harness, session)).toSorted()).toEqual(['/remember once', '/say a', '/say b', '/say c'])
    const { lives } = await harness.api.get<{ lives: unknown[] }>(`/api/sessions/${session.id}/agent-lives`)
    expect(lives).toHaveLength(2)
  })

  it('R4 a session can be put to sleep and woken; what can not is said', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(4, plainAgent('plain')) })
    const session = await harness.start()
    const at = (verb: string, { id } = session) => `/api/sessions/${id}/${verb}`
    await harness.api.post(at('sleep'), {})
    expect(await harness.api.post(at('sleep'), {})).toMatchObject({ activity: 'asleep' })
    expect(await harness.api.post(at('wake'), {})).toMatchObject({ activity: 'idle', status: 'active' })
    expect(await harness.api.post(at('wake'), {})).toMatchObject({ activity: 'idle' })
    // It never had a turn, so there is no conversation to lose.
    expect(notesOf((await harness.detail(session)).messages)).toEqual([])
    const busy = await harness.prompt(session, '/stall')
    expect(await harness.api.refused('POST', at('sleep'), {})).toMatchObject({ status: 409, code: 'session_busy' })
    expect(busy.status).toBe('waiting')
    const plain = await harness.start({ agent: 'plain' })
    const refused = await harness.api.refused('POST', at('sleep', plain), {})
    expect(refused).toMatchObject({ status: 409, code: 'cannot_resume' })
    await harness.api.post(at('complete', plain), {})
    expect(await harness.api.refused('POST', at('wake', plain), {})).toMatchObject({ status: 409 })
  })

  it('R4 A10 a sleeping session can be ended, paused and continued', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(4) })
    const ended = await harness.start()
    await harness.api.post(`/api/sessions/${ended.id}/sleep`, {})
    expect(await harness.api.post(`/api/sessions/${ended.id}/complete`, {})).toMatchObject({
      status: 'completed',
      activity: null,
      sleepingSince: null,
    })
    const paused = await harness.start()
    await harness.say(paused, '/remember the pause')
    await harness.api.post(`/api/sessions/${paused.id}/sleep`, {})
    await harness.api.post(`/api/sessions/${paused.id}/pause`, {})
    expect(await harness.api.post(`/api/sessions/${paused.id}/resume`, {})).toMatchObject({ activity: 'asleep' })
    expect(await harness.say(paused, '/recall')).toBe('I remember: the pause')
    await harness.api.post(`/api/sessions/${paused.id}/sleep`, {})
    const next = await harness.api.post<Session>(`/api/sessions/${paused.id}/restart`, { prompt: '/recall' })
    await harness.saying(next, 'I remember: the pause')
  })

  it('X5 asleep over kill -9: it stays asleep, and a prompt wakes it', async () => {
    await using harness = await openAgentsHarness({ database, config: slots(2) })
    const session = await harness.start()
    await harness.say(session, '/remember the night')
    await harness.api.post(`/api/sessions/${session.id}/sleep`, {})
    await harness.server.kill('SIGKILL')
    await harness.server.restart()
    expect(await shown(harness, session)).toMatchObject({ status: 'active', activity: 'asleep' })
    expect(await harness.say(session, '/recall')).toBe('I remember: the night')
  })
})
