import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, toolsOf, type QueueItem, type AgentsHarness } from './agents-harness.ts'
import type { Message, SessionPage } from './shapes.ts'
import { nobody } from './work.ts'

const textOf = ({ content }: Message) => String(content['text'])

describe.each(usualDatabases)('turns on %s', (database) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ database })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const queueOf = async (session: { id: string }) =>
    (await harness.api.get<{ items: QueueItem[] }>(`/api/sessions/${session.id}/queue`)).items
  const cancelTurn = (session: { id: string }) => harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
  /** People's messages to the agent, in the order they were delivered. */
  const told = async (session: { id: string }) =>
    (await harness.detail(session)).messages.filter(({ role }) => role === 'user').map(textOf)

  it('A4 a prompt is accepted with 202 while the agent is busy, and waits its turn', async () => {
    const session = await harness.start({ prompt: '/stall forever' })
    await until(async () => (await harness.detail(session)).agentState?.turn)
    const reply = await harness.api.send('POST', `/api/sessions/${session.id}/prompt`, {
      body: { text: '/say Second.' },
    })
    expect([reply.status, reply.body]).toEqual([
      202,
      expect.objectContaining({ sessionId: session.id, status: 'waiting', when: 'next', position: 0 }),
    ])
    const { queue } = await harness.detail(session)
    expect(queue.map(({ text, status }) => [text, status])).toEqual([
      ['/stall forever', 'sent'],
      ['/say Second.', 'waiting'],
    ])
    expect(await cancelTurn(session)).toEqual({ cancelled: true })
    await harness.settled(reply.body as QueueItem)
    expect(await harness.said(session)).toBe('Second.')
  })

  it('A4 R17 many prompts at once: each sent once, in order, one turn at a time', async () => {
    const session = await harness.start()
    const texts = Array.from({ length: 12 }, (_, n) => `/say begin-${n}\n/slow 2 5\n/say end-${n}`)
    const items: QueueItem[] = []
    for (const text of texts) items.push(await harness.prompt(session, text))
    expect(items.filter(({ status }) => status === 'waiting').length).toBeGreaterThan(0)
    for (const item of items) await harness.settled(item)
    const { messages } = await harness.detail(session)
    const words = messages.map(({ role, content }) => [role, String(content['text'])])
    expect(words).toEqual(
      texts.flatMap((text, n) => [
        ['user', text],
        ['agent', `begin-${n}\nword-1 word-2\nend-${n}`],
      ]),
    )
    expect((await queueOf(session)).map(({ id, status }) => [id, status])).toEqual(
      items.map(({ id }) => [id, 'delivered']),
    )
  })

  it('A4 prompts sent at the same moment never overlap', async () => {
    const session = await harness.start()
    const sent = await Promise.all(
      Array.from({ length: 8 }, (_, n) => harness.prompt(session, `/slow 3 5\n/say =${n}`)),
    )
    for (const item of sent) await harness.settled(item)
    const { messages } = await harness.detail(session)
    expect(messages.map(({ role }) => role)).toEqual(sent.flatMap(() => ['user', 'agent']))
    for (const message of messages.filter(({ role }) => role === 'agent'))
      expect(textOf(message)).toMatch(/^word-1 word-2 word-3\n=\d$/)
    expect(new Set(messages.map(textOf)).size).toBe(16)
  })

  it('A4 409 with the status if the session is not active; nothing is queued', async () => {
    const session = await harness.start()
    const refused = async (status: string) => {
      const refusal = await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: 'hello' })
      expect(refusal).toMatchObject({ status: 409, details: { status }, hint: expect.any(String) })
      expect(refusal.message).toContain(status)
    }
    await harness.api.post(`/api/sessions/${session.id}/pause`)
    await refused('paused')
    await harness.api.post(`/api/sessions/${session.id}/resume`)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    await refused('completed')
    expect(await queueOf(session)).toEqual([])
    expect((await harness.api.refused('POST', `/api/sessions/${nobody()}/prompt`, { text: 'x' })).status).toBe(404)
    expect((await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: '' })).status).toBe(400)
  })

  it('A4 a prompt repeated with its Idempotency-Key is sent once', async () => {
    const session = await harness.start()
    const key = { 'idempotency-key': 'the-same' }
    const body = { text: '/say Once.' }
    const path = `/api/sessions/${session.id}/prompt`
    const [first, second] = [
      await harness.api.post<QueueItem>(path, body, key),
      await harness.api.post<QueueItem>(path, body, key),
    ]
    expect(second.id).toBe(first.id)
    await harness.settled(first)
    expect(await told(session)).toEqual(['/say Once.'])
  })

  it('R17 now cancels the turn and comes first, next waits for its end, later for everything else', async () => {
    const session = await harness.start()
    const running = await harness.prompt(session, '/say Busy.\n/stall forever')
    await harness.saying(session, 'Busy.')
    const later = await harness.prompt(session, '/say later', 'later')
    const next = await harness.prompt(session, '/say next', 'next')
    const now = await harness.prompt(session, '/say now', 'now')
    expect([later.position, next.position, now.position]).toEqual([0, 0, 0])
    for (const item of [running, now, next, later]) await harness.settled(item)
    expect(await told(session)).toEqual(['/say Busy.\n/stall forever', '/say now', '/say next', '/say later'])
    const { messages } = await harness.detail(session)
    expect(messages.filter(({ role }) => role === 'agent').map(textOf)).toEqual(['Busy.', 'now', 'next', 'later'])
  })

  it('R17 queued prompts are visible, can be withdrawn once, and are then never sent', async () => {
    const session = await harness.start()
    const running = await harness.prompt(session, '/say Busy.\n/stall forever')
    await harness.saying(session, 'Busy.')
    const dropped = await harness.prompt(session, '/say Never.')
    const kept = await harness.prompt(session, '/say Kept.')
    const gone = await harness.api.delete<QueueItem>(`/api/sessions/${session.id}/queue/${dropped.id}`)
    expect(gone).toMatchObject({ id: dropped.id, status: 'dropped', text: '/say Never.', deliveredAt: null })
    for (const [id, status] of [
      [dropped.id, 409],
      [running.id, 409],
      [nobody(), 404],
    ] as const)
      expect((await harness.api.refused('DELETE', `/api/sessions/${session.id}/queue/${id}`)).status).toBe(status)
    await cancelTurn(session)
    await harness.settled(kept)
    expect(await told(session)).toEqual(['/say Busy.\n/stall forever', '/say Kept.'])
    const items = await queueOf(session)
    expect(items.map(({ status }) => status)).toEqual(['delivered', 'dropped', 'delivered'])
    expect(items[2]).toMatchObject({ by: `user:${session.ownerUserId}`, deliveredAt: expect.any(String) })
  })

  it('X7 the turn is cancelled and the session continues; without a turn there is nothing to cancel', async () => {
    const session = await harness.start()
    expect(await cancelTurn(session)).toEqual({ cancelled: false })
    const running = await harness.prompt(session, '/slow 1000 5')
    await harness.saying(session, 'word-3')
    expect(await cancelTurn(session)).toEqual({ cancelled: true })
    await harness.settled(running)
    const { messages, status, agentState } = await harness.detail(session)
    expect([status, agentState?.turn]).toEqual(['active', null])
    expect(messages.at(-1)?.content).toMatchObject({ type: 'text', partial: false })
    expect(await harness.say(session, '/say Going on.')).toBe('Going on.')
  })

  it('A2 A3 lists and shows agents’ sessions: newest first, messages only inside the session', async () => {
    const older = await harness.start({ prompt: '/say Hello.' })
    const newer = await harness.start()
    await harness.saying(older, 'Hello.')
    const page = await harness.api.get<SessionPage>('/api/sessions?status=active&limit=2')
    expect(page.sessions.map(({ id }) => id)).toEqual([newer.id, older.id])
    for (const session of page.sessions) expect(session).not.toHaveProperty('messages')
    const detail = await harness.detail(older)
    expect(detail.messages.map(({ role }) => role)).toEqual(['user', 'agent'])
    expect(detail.lineage).toEqual([older.id])
  })

  it('A5 returns messages strictly after a time, including those still growing', async () => {
    const session = await harness.start()
    await harness.say(session, '/say First.')
    const all = await harness.api.get<Message[]>(`/api/sessions/${session.id}/messages`)
    const [user, agent] = all
    const since = (time: string) =>
      harness.api.get<Message[]>(`/api/sessions/${session.id}/messages?since=${encodeURIComponent(time)}`)
    expect(await since(agent!.timestamp)).toEqual([])
    expect((await since(new Date(Date.parse(user!.timestamp) - 1).toISOString())).map(({ id }) => id)).toEqual(
      all.map(({ id }) => id),
    )
    await harness.prompt(session, '/say Growing.\n/stall forever')
    await harness.saying(session, 'Growing.')
    expect((await since(agent!.timestamp)).map(({ role }) => role)).toEqual(['user', 'agent'])
    expect((await harness.api.refused('GET', `/api/sessions/${session.id}/messages?since=yesterday`)).status).toBe(400)
    await cancelTurn(session)
  })

  it('R1 pausing cancels the running turn; queued prompts are sent after resuming', async () => {
    const session = await harness.start()
    const running = await harness.prompt(session, '/say Busy.\n/stall forever')
    await harness.saying(session, 'Busy.')
    const waiting = await harness.prompt(session, '/say After.')
    await harness.api.post(`/api/sessions/${session.id}/pause`, { reason: 'lunch' })
    await harness.settled(running)
    expect(await queueOf(session)).toMatchObject([{ status: 'delivered' }, { status: 'waiting' }])
    expect((await harness.detail(session)).status).toBe('paused')
    await harness.api.post(`/api/sessions/${session.id}/resume`)
    await harness.settled(waiting)
    expect(await harness.said(session)).toBe('After.')
  })

  it('R1 pausing also cancels a turn that waits for a terminal', async () => {
    const session = await harness.start()
    const running = await harness.prompt(session, '/term sleep 100')
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await until(async () =>
      toolsOf((await harness.detail(session)).messages).some(({ status }) => status === 'in_progress'),
    )
    await harness.api.post(`/api/sessions/${session.id}/pause`)
    await harness.settled(running)
    expect((await harness.detail(session)).status).toBe('paused')
  })

  it('R1 a permission is held while paused: the agent gets the answer only after resuming', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/permit no-reject')
    const ask = await harness.openAsk(session)
    await harness.api.post(`/api/sessions/${session.id}/pause`)
    const answered = await harness.answer(ask, { outcome: 'select', optionId: 'allow' })
    expect(answered.status).toBe('answered')
    // Another session's whole turn passes meanwhile.
    const other = await harness.start()
    await harness.say(other, '/slow 5 20')
    expect(await harness.said(session)).toBe('')
    expect((await harness.detail(session)).status).toBe('paused')
    await harness.api.post(`/api/sessions/${session.id}/resume`)
    await harness.settled(turn)
    expect(await harness.said(session)).toBe('permit no-reject: allow')
  })
})
