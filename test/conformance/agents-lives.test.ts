import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, notesOf, type OpenAsk, type QueueItem, type AgentsHarness } from './agents-harness.ts'
import { lookInto } from './look.ts'
import type { Session, SessionPage } from './shapes.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe.each(usualDatabases)('the life of agents on %s', (database) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ database })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const restart = (session: { id: string }, body = {}) =>
    harness.api.post<Session>(`/api/sessions/${session.id}/restart`, body)
  const askOf = (ask: { id: string }) => harness.api.get<OpenAsk>(`/api/asks/${ask.id}`)
  const killed = async () => {
    await harness.server.kill('SIGKILL')
    await harness.server.restart()
  }

  it('X4 a restart makes a new session in the same lineage; the old one is terminated, its asks interrupted', async () => {
    const old = await harness.start()
    await harness.say(old, '/remember the signal is green')
    await harness.prompt(old, '/permit no-allow')
    const ask = await harness.openAsk(old)
    const waiting = await harness.prompt(old, '/say From the queue.')
    const successor = await restart(old, { prompt: '/recall' })
    expect(successor).toMatchObject({ status: 'active', restartOf: old.id, workspaceRoot: old.workspaceRoot })
    expect(successor.id).not.toBe(old.id)
    expect(await harness.detail(old)).toMatchObject({
      status: 'terminated',
      lineage: [old.id, successor.id],
      queue: [],
    })
    expect(await askOf(ask)).toMatchObject({ status: 'interrupted' })
    const recall = await until(async () => {
      const { items } = await harness.api.get<{ items: QueueItem[] }>(`/api/sessions/${successor.id}/queue`)
      return items.find(({ text }) => text === '/recall')
    })
    await harness.settled(recall)
    const { messages, lineage, agentState } = await harness.detail(successor)
    expect(messages.map(({ role, content }) => [role, content['text']])).toEqual([
      ['user', '/say From the queue.'],
      ['agent', 'From the queue.'],
      ['user', '/recall'],
      ['agent', 'I remember: the signal is green'],
    ])
    expect(lineage).toEqual([old.id, successor.id])
    expect(agentState?.agentSessionId).toBe((await harness.detail(old)).agentState?.agentSessionId)
    const { items } = await harness.api.get<{ items: QueueItem[] }>(`/api/sessions/${successor.id}/queue`)
    expect(items.map(({ id }) => id)).toContain(waiting.id)
    await until(() => harness.running(old).length === 0, { what: 'the end of the old agent' })
  })

  it('X4 continuing an ended session does not change its end, and works only once while its successor lives', async () => {
    const old = await harness.start()
    await harness.say(old, '/remember yesterday')
    await harness.api.post(`/api/sessions/${old.id}/complete`)
    const successor = await restart(old)
    expect(await harness.detail(old)).toMatchObject({ status: 'completed' })
    expect(await harness.say(successor, '/recall')).toBe('I remember: yesterday')
    expect((await harness.api.refused('POST', `/api/sessions/${old.id}/restart`, {})).status).toBe(409)
    await harness.api.post(`/api/sessions/${successor.id}/complete`)
    const third = await restart(successor)
    expect(await harness.say(third, '/recall')).toBe('I remember: yesterday')
    expect((await harness.detail(third)).lineage).toEqual([old.id, successor.id, third.id])
  })

  it('X7 a fork starts with the conversation so far and leaves the original as it is', async () => {
    const first = await harness.start()
    await harness.say(first, '/remember the fork in the line')
    const second = await harness.api.post<Session>(`/api/sessions/${first.id}/fork`, { prompt: '/recall' })
    expect(second).toMatchObject({ status: 'active', restartOf: null })
    await harness.saying(second, 'I remember: the fork in the line')
    await harness.say(second, '/remember only here')
    expect(await harness.say(first, '/recall')).toBe('I remember: the fork in the line')
    const states = [await harness.detail(first), await harness.detail(second)].map(
      (one) => one.agentState?.agentSessionId,
    )
    expect(new Set(states).size).toBe(2)
    const { conversations } = await harness.api.get<{ conversations: { sessionId: string }[] }>(
      `/api/sessions/${first.id}/conversations`,
    )
    expect(conversations.map(({ sessionId }) => sessionId)).toEqual(expect.arrayContaining(states))
  })

  it('X5 killed repeatedly while text streams: the agent keeps running and no word is lost or repeated', async () => {
    const session = await harness.start()
    const [pid] = harness.running(session)
    const turn = await harness.prompt(session, '/slow 260 10')
    for (const n of [20, 80, 140]) {
      await harness.saying(session, `word-${n}`)
      await killed()
    }
    await harness.settled(turn)
    const { messages, status } = await harness.detail(session)
    expect(status).toBe('active')
    expect(messages.map(({ role, content }) => [role, content['text']])).toEqual([
      ['user', '/slow 260 10'],
      ['agent', Array.from({ length: 260 }, (_, n) => `word-${n + 1}`).join(' ')],
    ])
    expect(messages[1]?.content['partial']).toBe(false)
    expect(harness.running(session)).toEqual([pid])
    expect(await harness.say(session, '/say Still the same.')).toBe('Still the same.')
  })

  it('X5 A12 killed while a permission is open, twice: the later answer reaches the same agent', async () => {
    const session = await harness.start()
    const [pid] = harness.running(session)
    const turn = await harness.prompt(session, '/say Before.\n/permit no-reject\n/say After.')
    const ask = await harness.openAsk(session)
    const waiting = await harness.prompt(session, '/say Queued.')
    await killed()
    await killed()
    expect((await harness.openAsk(session)).id).toBe(ask.id)
    expect((await harness.detail(session)).messages).toHaveLength(3)
    await harness.answer(ask, { outcome: 'select', optionId: 'allow' })
    await harness.settled(turn)
    await harness.settled(waiting)
    const said = (await harness.detail(session)).messages.flatMap(({ role, content }) =>
      role === 'agent' ? [content['text']] : [],
    )
    expect(said).toEqual(['Before.', 'permit no-reject: allow\nAfter.', 'Queued.'])
    expect(harness.running(session)).toEqual([pid])
  })

  it('X5 an agent that ends while the server is down is reported as ended when it is back', async () => {
    const ended = await harness.start()
    const working = await harness.start()
    const [gone] = harness.running(ended)
    await harness.prompt(ended, '/say Soon.\n/stall 1\n/crash 4')
    const turn = await harness.prompt(working, '/say Soon.\n/stall 1\n/say Done.')
    await harness.saying(ended, 'Soon.')
    await harness.saying(working, 'Soon.')
    await harness.server.kill('SIGKILL')
    await until(() => !isAlive(gone!), { what: 'the end of the agent' })
    await harness.server.restart()
    const { messages } = await harness.become(ended, 'error')
    expect(notesOf(messages).join()).toMatch(/code 4[^]*last line before its end/)
    await harness.settled(turn)
    expect(await harness.said(working)).toBe('Soon.\nDone.')
  })

  it('X5 A12 an upgrade (SIGTERM, then start) keeps agents, list, history, queue and asks', async () => {
    const session = await harness.start()
    const [pid] = harness.running(session)
    await harness.say(session, '/say History.')
    const turn = await harness.prompt(session, '/permit no-reject')
    const ask = await harness.openAsk(session)
    const before = await harness.detail(session)
    const list = await harness.api.get<SessionPage>('/api/sessions')
    await harness.server.restart()
    expect(
      (await harness.api.get<SessionPage>('/api/sessions')).sessions.map(({ id, status }) => [id, status]),
    ).toEqual(list.sessions.map(({ id, status }) => [id, status]))
    const after = await harness.detail(session)
    expect([after.messages, after.queue, after.status]).toEqual([before.messages, before.queue, 'active'])
    expect(await askOf(ask)).toEqual(ask)
    expect(harness.running(session)).toEqual([pid])
    await harness.answer(ask, { outcome: 'approve' })
    await harness.settled(turn)
    expect(await harness.said(session)).toBe('permit no-reject: allow')
  })

  it('X3 A11 idle too long: completed with the reason; a prompt restarts the time; an open ask stops it', async () => {
    const idle = await harness.start()
    const prompted = await harness.start()
    const asking = await harness.start()
    await harness.prompt(asking, '/permit no-allow')
    await harness.openAsk(asking)
    for (const session of [idle, prompted]) await harness.say(session, '/remember this')
    await harness.server.kill('SIGTERM')
    {
      // As if the agents' last activity was 28 minutes earlier, with 2 left.
      await using look = await lookInto(harness.server)
      const rows = await look.rows<{ session_id: string; state: string }>('select session_id, state from agents')
      for (const { session_id: id, state } of rows) {
        if (![idle.id, prompted.id, asking.id].includes(id)) continue
        const heardAt = new Date(Date.now() - 30 * 60_000 + 3000).toISOString()
        const older = JSON.stringify({ ...JSON.parse(state), heardAt })
        await look.change('update agents set state = ? where session_id = ?', older, id)
      }
    }
    await harness.server.restart()
    await harness.say(prompted, '/say Here.')
    const ended = await harness.become(idle, 'completed')
    expect(ended.metadata).toMatchObject({ reason: 'idle_timeout' })
    await until(() => harness.running(idle).length === 0, { what: 'the end of the idle agent' })
    expect([(await harness.detail(prompted)).status, (await harness.detail(asking)).status]).toEqual([
      'active',
      'active',
    ])
    const successor = await restart(idle)
    expect(await harness.say(successor, '/recall')).toBe('I remember: this')
  })

  it('X5 all agents end with their keeper; their sessions are interrupted and recovered with history and queue', async () => {
    const session = await harness.start()
    await harness.say(session, '/remember the way')
    const asking = await harness.start()
    await harness.prompt(asking, '/permit no-reject')
    const ask = await harness.openAsk(asking)
    await harness.prompt(session, '/say Working.\n/stall forever')
    await harness.saying(session, 'Working.')
    const waiting = await harness.prompt(session, '/recall')
    process.kill(harness.keeperPid()!, 'SIGKILL')
    const lost = await harness.become(session, 'interrupted')
    await harness.become(asking, 'interrupted')
    await until(() => harness.running().length === 0, { what: 'the end of every agent' })
    expect(lost.messages.at(-1)).toMatchObject({ role: 'agent', content: { text: 'Working.', partial: true } })
    expect((await askOf(ask)).status).toBe('open')
    const refusal = await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: 'x' })
    expect(refusal).toMatchObject({ status: 409, details: { status: 'interrupted' } })

    expect(await harness.api.post(`/api/sessions/${session.id}/recover`)).toMatchObject({
      id: session.id,
      status: 'active',
    })
    // It is told to continue, and does: the tour asks for something, so it is cut short.
    await harness.openAsk(session)
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(waiting)
    const { messages } = await harness.detail(session)
    expect(messages[4]).toMatchObject({ role: 'user', content: { text: expect.stringContaining('interrupted') } })
    expect(messages.slice(0, 4).map(({ content }) => content['text'])).toEqual([
      '/remember the way',
      'I will remember: the way',
      '/say Working.\n/stall forever',
      'Working.',
    ])
    expect(messages.some(({ content }) => content['text'] === 'I remember: the way')).toBe(true)

    await harness.api.post(`/api/sessions/${asking.id}/recover`)
    await harness.answer(ask, { outcome: 'approve' })
    const heard = async () =>
      (await harness.detail(asking)).messages.some(
        ({ role, content }) => role === 'user' && /operator has allowed/.test(String(content['text'])),
      )
    await until(heard, { what: 'the answer, in words' })
    expect((await harness.api.refused('POST', `/api/sessions/${session.id}/recover`, {})).status).toBe(409)
  })

  it('X5 two simultaneous recoveries start one agent', async () => {
    const session = await harness.start()
    process.kill(harness.keeperPid()!, 'SIGKILL')
    await harness.become(session, 'interrupted')
    const recover = () => harness.api.send('POST', `/api/sessions/${session.id}/recover`, { body: {} })
    const replies = await Promise.all([recover(), recover(), recover()])
    expect(replies.some(({ status }) => status === 200)).toBe(true)
    for (const { status } of replies) expect([200, 409]).toContain(status)
    expect(await harness.say(session, '/say Only me.')).toBe('Only me.')
    await until(() => harness.running(session).length === 1, { what: 'one agent' })
  })

  it('X5 what a dead keeper left behind is ended at the next start', async () => {
    const session = await harness.start()
    await harness.server.kill('SIGKILL')
    const left = harness.running()
    expect(left).not.toEqual([])
    const keeper = harness.keeperPid()!
    process.kill(keeper, 'SIGKILL')
    await until(() => !isAlive(keeper))
    await harness.server.restart()
    expect((await harness.become(session, 'interrupted')).messages).toEqual([])
    await until(() => left.every((pid) => !isAlive(pid)), { what: 'the end of what was left' })
    expect(await harness.api.post(`/api/sessions/${session.id}/recover`)).toMatchObject({ status: 'active' })
  })

  it('X5 if stopped with its agents, sessions are interrupted, no process is left, and asks stay open', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/say Working.\n/permit no-allow')
    const ask = await harness.openAsk(session)
    const keeper = harness.keeperPid()!
    const reply = await harness.api.send('POST', '/api/stop', { body: { agents: 'end' } })
    expect(reply.status).toBe(202)
    await until(() => harness.running().length === 0 && !isAlive(keeper), { what: 'the end of everything' })
    await harness.server.restart()
    expect((await harness.detail(session)).status).toBe('interrupted')
    expect((await askOf(ask)).status).toBe('open')

    // Answered while nobody is connected, and delivered to the next one.
    await harness.answer(ask, { outcome: 'reject' })
    await harness.api.post(`/api/sessions/${session.id}/recover`)
    const told = async () =>
      (await harness.detail(session)).messages.some(
        ({ role, content }) => role === 'user' && /operator has refused/.test(String(content['text'])),
      )
    await until(told, { what: 'the answer, in words' })
  })
})

describe('the limit on agents', () => {
  it('R4 recovering needs a free slot, exact with simultaneous recoveries', async () => {
    await using harness = await openAgentsHarness({ config: '[acp]\nmax_sessions = 2\n' })
    const first = await harness.start()
    const second = await harness.start()
    process.kill(harness.keeperPid()!, 'SIGKILL')
    for (const session of [first, second]) await harness.become(session, 'interrupted')
    const third = await harness.start()
    const recover = ({ id }: Session) => harness.api.send('POST', `/api/sessions/${id}/recover`, { body: {} })
    const replies = await Promise.all([recover(first), recover(second)])
    expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '429'])
    expect(replies.find(({ status }) => status === 429)?.headers['retry-after']).toBe('60')
    expect((await harness.api.get<SessionPage>('/api/sessions?status=active')).total).toBe(2)
    await until(() => harness.running().length === 2, { what: 'two agents' })
    await harness.api.delete(`/api/sessions/${third.id}`)
    const [left] = (await harness.api.get<SessionPage>('/api/sessions?status=interrupted')).sessions
    expect((await recover(left!)).status).toBe(200)
  })
})
