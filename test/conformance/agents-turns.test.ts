import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openYard, toolsOf, type QueueItem, type Yard } from './agents-yard.ts'
import type { Message, SessionPage } from './shapes.ts'
import { nobody } from './work.ts'

const textOf = ({ content }: Message) => String(content['text'])

describe.each(usualDatabases)('turns on %s', (database) => {
  let yard: Yard
  beforeAll(async () => {
    yard = await openYard({ database })
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  const queueOf = async (session: { id: string }) =>
    (await yard.api.get<{ items: QueueItem[] }>(`/api/sessions/${session.id}/queue`)).items
  const cancelTurn = (session: { id: string }) => yard.api.post(`/api/sessions/${session.id}/turn/cancel`)
  /** What people said to the agent, in the order it was told. */
  const told = async (session: { id: string }) =>
    (await yard.detail(session)).messages.filter(({ role }) => role === 'user').map(textOf)

  it('A4 a prompt is taken with 202 while the agent is busy, and waits its turn', async () => {
    const session = await yard.start({ prompt: '/stall forever' })
    await until(async () => (await yard.detail(session)).agentState?.turn)
    const reply = await yard.api.send('POST', `/api/sessions/${session.id}/prompt`, { body: { text: '/say Second.' } })
    expect([reply.status, reply.body]).toEqual([
      202,
      expect.objectContaining({ sessionId: session.id, status: 'waiting', when: 'next', position: 0 }),
    ])
    const { queue } = await yard.detail(session)
    expect(queue.map(({ text, status }) => [text, status])).toEqual([
      ['/stall forever', 'sent'],
      ['/say Second.', 'waiting'],
    ])
    expect(await cancelTurn(session)).toEqual({ cancelled: true })
    await yard.settled(reply.body as QueueItem)
    expect(await yard.said(session)).toBe('Second.')
  })

  it('A4 R17 many prompts at once: each once, in order, one turn at a time', async () => {
    const session = await yard.start()
    const texts = Array.from({ length: 12 }, (_, n) => `/say begin-${n}\n/slow 2 5\n/say end-${n}`)
    const items: QueueItem[] = []
    for (const text of texts) items.push(await yard.prompt(session, text))
    expect(items.filter(({ status }) => status === 'waiting').length).toBeGreaterThan(0)
    for (const item of items) await yard.settled(item)
    const { messages } = await yard.detail(session)
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
    const session = await yard.start()
    const sent = await Promise.all(Array.from({ length: 8 }, (_, n) => yard.prompt(session, `/slow 3 5\n/say =${n}`)))
    for (const item of sent) await yard.settled(item)
    const { messages } = await yard.detail(session)
    expect(messages.map(({ role }) => role)).toEqual(sent.flatMap(() => ['user', 'agent']))
    for (const message of messages.filter(({ role }) => role === 'agent'))
      expect(textOf(message)).toMatch(/^word-1 word-2 word-3\n=\d$/)
    expect(new Set(messages.map(textOf)).size).toBe(16)
  })

  it('A4 409 with the status where the session is not active; nothing is queued', async () => {
    const session = await yard.start()
    const refused = async (status: string) => {
      const refusal = await yard.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: 'hello' })
      expect(refusal).toMatchObject({ status: 409, details: { status }, hint: expect.any(String) })
      expect(refusal.message).toContain(status)
    }
    await yard.api.post(`/api/sessions/${session.id}/pause`)
    await refused('paused')
    await yard.api.post(`/api/sessions/${session.id}/resume`)
    await yard.api.post(`/api/sessions/${session.id}/complete`)
    await refused('completed')
    expect(await queueOf(session)).toEqual([])
    expect((await yard.api.refused('POST', `/api/sessions/${nobody()}/prompt`, { text: 'x' })).status).toBe(404)
    expect((await yard.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: '' })).status).toBe(400)
  })

  it('A4 a prompt repeated with its Idempotency-Key is said once', async () => {
    const session = await yard.start()
    const key = { 'idempotency-key': 'the-same' }
    const body = { text: '/say Once.' }
    const path = `/api/sessions/${session.id}/prompt`
    const [first, second] = [
      await yard.api.post<QueueItem>(path, body, key),
      await yard.api.post<QueueItem>(path, body, key),
    ]
    expect(second.id).toBe(first.id)
    await yard.settled(first)
    expect(await told(session)).toEqual(['/say Once.'])
  })

  it('R17 now cancels the turn and comes first, next waits for its end, later for everything else', async () => {
    const session = await yard.start()
    const running = await yard.prompt(session, '/say Busy.\n/stall forever')
    await yard.saying(session, 'Busy.')
    const later = await yard.prompt(session, '/say later', 'later')
    const next = await yard.prompt(session, '/say next', 'next')
    const now = await yard.prompt(session, '/say now', 'now')
    expect([later.position, next.position, now.position]).toEqual([0, 0, 0])
    for (const item of [running, now, next, later]) await yard.settled(item)
    expect(await told(session)).toEqual(['/say Busy.\n/stall forever', '/say now', '/say next', '/say later'])
    const { messages } = await yard.detail(session)
    expect(messages.filter(({ role }) => role === 'agent').map(textOf)).toEqual(['Busy.', 'now', 'next', 'later'])
  })

  it('R17 what waits is visible, can be taken back once, and is then never said', async () => {
    const session = await yard.start()
    const running = await yard.prompt(session, '/say Busy.\n/stall forever')
    await yard.saying(session, 'Busy.')
    const dropped = await yard.prompt(session, '/say Never.')
    const kept = await yard.prompt(session, '/say Kept.')
    const gone = await yard.api.delete<QueueItem>(`/api/sessions/${session.id}/queue/${dropped.id}`)
    expect(gone).toMatchObject({ id: dropped.id, status: 'dropped', text: '/say Never.', deliveredAt: null })
    for (const [id, status] of [
      [dropped.id, 409],
      [running.id, 409],
      [nobody(), 404],
    ] as const)
      expect((await yard.api.refused('DELETE', `/api/sessions/${session.id}/queue/${id}`)).status).toBe(status)
    await cancelTurn(session)
    await yard.settled(kept)
    expect(await told(session)).toEqual(['/say Busy.\n/stall forever', '/say Kept.'])
    const items = await queueOf(session)
    expect(items.map(({ status }) => status)).toEqual(['delivered', 'dropped', 'delivered'])
    expect(items[2]).toMatchObject({ by: `user:${session.ownerUserId}`, deliveredAt: expect.any(String) })
  })

  it('X7 the turn is cancelled and the session goes on; without a turn there is nothing to cancel', async () => {
    const session = await yard.start()
    expect(await cancelTurn(session)).toEqual({ cancelled: false })
    const running = await yard.prompt(session, '/slow 1000 5')
    await yard.saying(session, 'word-3')
    expect(await cancelTurn(session)).toEqual({ cancelled: true })
    await yard.settled(running)
    const { messages, status, agentState } = await yard.detail(session)
    expect([status, agentState?.turn]).toEqual(['active', null])
    expect(messages.at(-1)?.content).toMatchObject({ type: 'text', partial: false })
    expect(await yard.say(session, '/say Going on.')).toBe('Going on.')
  })

  it('A2 A3 lists and shows agents’ sessions: newest first, messages only inside the session', async () => {
    const older = await yard.start({ prompt: '/say Hello.' })
    const newer = await yard.start()
    await yard.saying(older, 'Hello.')
    const page = await yard.api.get<SessionPage>('/api/sessions?status=active&limit=2')
    expect(page.sessions.map(({ id }) => id)).toEqual([newer.id, older.id])
    for (const session of page.sessions) expect(session).not.toHaveProperty('messages')
    const detail = await yard.detail(older)
    expect(detail.messages.map(({ role }) => role)).toEqual(['user', 'agent'])
    expect(detail.lineage).toEqual([older.id])
  })

  it('A5 gives messages strictly after a time, those that still grow included', async () => {
    const session = await yard.start()
    await yard.say(session, '/say First.')
    const all = await yard.api.get<Message[]>(`/api/sessions/${session.id}/messages`)
    const [user, agent] = all
    const since = (time: string) =>
      yard.api.get<Message[]>(`/api/sessions/${session.id}/messages?since=${encodeURIComponent(time)}`)
    expect(await since(agent!.timestamp)).toEqual([])
    expect((await since(new Date(Date.parse(user!.timestamp) - 1).toISOString())).map(({ id }) => id)).toEqual(
      all.map(({ id }) => id),
    )
    await yard.prompt(session, '/say Growing.\n/stall forever')
    await yard.saying(session, 'Growing.')
    expect((await since(agent!.timestamp)).map(({ role }) => role)).toEqual(['user', 'agent'])
    expect((await yard.api.refused('GET', `/api/sessions/${session.id}/messages?since=yesterday`)).status).toBe(400)
    await cancelTurn(session)
  })

  it('R1 pausing cancels the turn that runs; what waited is said after resuming', async () => {
    const session = await yard.start()
    const running = await yard.prompt(session, '/say Busy.\n/stall forever')
    await yard.saying(session, 'Busy.')
    const waiting = await yard.prompt(session, '/say After.')
    await yard.api.post(`/api/sessions/${session.id}/pause`, { reason: 'lunch' })
    await yard.settled(running)
    expect(await queueOf(session)).toMatchObject([{ status: 'delivered' }, { status: 'waiting' }])
    expect((await yard.detail(session)).status).toBe('paused')
    await yard.api.post(`/api/sessions/${session.id}/resume`)
    await yard.settled(waiting)
    expect(await yard.said(session)).toBe('After.')
  })

  it('R1 pausing cancels a turn that waits for a terminal as well', async () => {
    const session = await yard.start()
    const running = await yard.prompt(session, '/term sleep 100')
    await yard.answer(await yard.openAsk(session), { outcome: 'approve' })
    await until(async () =>
      toolsOf((await yard.detail(session)).messages).some(({ status }) => status === 'in_progress'),
    )
    await yard.api.post(`/api/sessions/${session.id}/pause`)
    await yard.settled(running)
    expect((await yard.detail(session)).status).toBe('paused')
  })

  it('R1 a permission is held while paused: answered then, the agent hears it only after resuming', async () => {
    const session = await yard.start()
    const turn = await yard.prompt(session, '/permit no-reject')
    const ask = await yard.openAsk(session)
    await yard.api.post(`/api/sessions/${session.id}/pause`)
    const answered = await yard.answer(ask, { outcome: 'select', optionId: 'allow' })
    expect(answered.status).toBe('answered')
    // Another session’s whole turn goes by meanwhile.
    const other = await yard.start()
    await yard.say(other, '/slow 5 20')
    expect(await yard.said(session)).toBe('')
    expect((await yard.detail(session)).status).toBe('paused')
    await yard.api.post(`/api/sessions/${session.id}/resume`)
    await yard.settled(turn)
    expect(await yard.said(session)).toBe('permit no-reject: allow')
  })
})
