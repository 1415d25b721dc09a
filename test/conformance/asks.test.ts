import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { until } from '../support/until.ts'
import { lookInto } from './look.ts'
import { newMachineUser } from './people.ts'
import type { Ask, Session } from './shapes.ts'
import { approve, newAgent, nobody, openAsk, roomy, startSession } from './work.ts'

const noGrace = `${roomy}[timeouts]\nstartup_grace_seconds = 0\n`
const prompt = (promptType: string) => ({ subject: { kind: 'prompt', text: 'Shall I continue?', promptType } })

describe.each(databases)('asks after a crash on %s', (database) => {
  it('R23 a pending ask survives kill -9, is still in the inbox, and its agent gets the answer', async () => {
    await using server = await startServer({ database })
    const agent = await newAgent(server)
    const session = await startSession(agent)
    const ask = await openAsk(agent, session)
    const wait = await openAsk(agent, session, { subject: { kind: 'wait', message: 'What next?' } })
    await server.kill('SIGKILL')
    await server.restart()
    const owner = server.api()
    const again = server.tcp({ authorization: String(agent.headers['authorization']) })
    const inbox = await owner.get<{ asks: Ask[] }>('/api/asks?status=open')
    expect(inbox.asks.map(({ id }) => id)).toEqual([wait.id, ask.id])
    expect(await owner.get(`/api/asks/${ask.id}`)).toEqual(ask)
    const held = again.get<Ask>(`/api/asks/${wait.id}?wait=30`)
    await owner.post(`/api/asks/${wait.id}/answer`, { outcome: 'resume', instruction: 'Carry on' })
    expect(await held).toMatchObject({ status: 'answered', answer: { instruction: 'Carry on' } })
    await owner.post(`/api/asks/${ask.id}/answer`, approve)
    expect(await again.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'answered', answer: { outcome: 'approve' } })
  })

  it('R23 nothing expires in the first minutes after a start, and overdue asks can still be answered', async () => {
    await using server = await startServer({ database, config: noGrace })
    const agent = await newAgent(server)
    const session = await startSession(agent)
    const before = await openAsk(agent, session, { timeoutSeconds: 2 })
    await server.kill('SIGKILL')
    // This start uses the default grace period.
    await server.restart(roomy)
    await using events = await openEvents(server.api(), { query: '?after=0.0&type=ask.*' })
    const after = await openAsk(server.api(), session, { timeoutSeconds: 1 })
    const due = Math.max(...[before, after].map(({ expiresAt }) => Date.parse(expiresAt!)))
    await until(() => Date.now() > due + 500)
    for (const { id } of [before, after])
      expect(await server.api().post(`/api/asks/${id}/answer`, approve)).toMatchObject({ status: 'answered' })
    await events.first(({ type, data }) => type === 'ask.answered' && data['id'] === after.id)
    expect(events.heard.map(({ type }) => type)).not.toContain('ask.expired')
  })

  it('R23 what fell due while the server was down expires once the grace period is over', async () => {
    await using server = await startServer({ database, config: noGrace })
    const agent = await newAgent(server)
    const ask = await openAsk(agent, await startSession(agent), { timeoutSeconds: 2 })
    await server.kill('SIGKILL')
    await server.restart()
    await using events = await openEvents(server.api(), { query: '?after=0.0&type=ask.*' })
    await events.first(({ type, data }) => type === 'ask.expired' && data['id'] === ask.id)
    expect(await server.api().get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'expired' })
  })
})

describe.each(databases)('asks on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  let session: Session
  beforeAll(async () => {
    server = await startServer({ database, config: noGrace })
    owner = server.api()
    agent = await newAgent(server)
    session = await startSession(agent)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('R23 an answer after expiry is refused with that reason', async () => {
    await using events = await openEvents(owner, { query: '?type=ask.*' })
    const ask = await openAsk(agent, session, { timeoutSeconds: 1 })
    await events.first(({ type, data }) => type === 'ask.expired' && data['id'] === ask.id)
    const late = await owner.refused('POST', `/api/asks/${ask.id}/answer`, approve)
    expect(late).toMatchObject({ status: 409, code: 'ask_expired', message: expect.stringMatching(/expired/) })
    expect(await owner.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'expired', answer: null })
  })

  it('R23 an ask is in the tables before anyone is notified', async () => {
    await using events = await openEvents(owner, { query: '?type=ask.opened' })
    const asked = openAsk(agent, session)
    const heard = await events.first(({ sessionId }) => sessionId === session.id)
    expect(await owner.get(`/api/asks/${String(heard.data['id'])}`)).toMatchObject({ status: 'open' })
    await owner.post(`/api/asks/${(await asked).id}/cancel`)
  })

  it('R23 a waiting caller gets the answer as soon as it is given', async () => {
    const ask = await openAsk(agent, session)
    const started = performance.now()
    const held = agent.get<Ask>(`/api/asks/${ask.id}?wait=30`)
    await owner.post(`/api/asks/${ask.id}/answer`, approve)
    expect(await held).toMatchObject({ status: 'answered' })
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('R23 three simultaneous answers: one wins, the others are told who', async () => {
    const [ann, bob] = [await newMachineUser(server, 'Ann'), await newMachineUser(server, 'Bob')]
    for (const { id } of [ann, bob]) await owner.put(`/api/sessions/${session.id}/delegates/${id}`)
    for (let round = 0; round < 20; round += 1) {
      const ask = await openAsk(agent, session)
      const path = `/api/asks/${ask.id}/answer`
      const replies = await Promise.all(
        [owner, ann.api, bob.api].map((api) => api.send('POST', path, { body: approve })),
      )
      const winners = replies.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      const { answeredBy } = winners[0]!.body as Ask
      for (const { body } of replies.filter(({ status }) => status !== 200))
        expect(body).toMatchObject({ error: { code: 'already_answered', details: { answeredBy } } })
    }
  })

  it('R5 every field of an ask can be read back', async () => {
    const subject = { kind: 'diff', filePath: 'a.txt', diff: '+a', files: [{ path: 'a.txt', hash: 'new_file' }] }
    const given = { title: 'Write?', description: 'A new file', riskLevel: 'high', subject, needed: 1 }
    const ask = await openAsk(agent, session, { ...given, origin: 'api', timeoutSeconds: 0 })
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const open = {
      ...given,
      id: ask.id,
      sessionId: session.id,
      kind: 'diff',
      origin: 'api',
      status: 'open',
      createdAt: time,
      claimedRisk: 'high',
      judgedRisk: 'low',
      riskReasons: [],
    }
    const empty = { answer: null, answeredBy: null, answeredAt: null, automatic: false, answerers: null, reason: null }
    const unapplied = { result: null, undoneAt: null, retractedAt: null, approvedBy: null }
    expect(ask).toEqual({
      ...open,
      ...empty,
      ...unapplied,
      votes: [],
      slackTs: null,
      expiresAt: null,
      consumedAt: null,
      subjectHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      agentGroupId: null,
      requestedBy: null,
      circle: null,
      sessionAllowance: 'changes of a.txt',
    })
    await owner.post(`/api/asks/${ask.id}/answer`, approve)
    await using look = await lookInto(server)
    const at = '2026-01-01T00:00:00.000Z'
    await look.change("update asks set status = 'consumed', slack_ts = '1.5', consumed_at = ? where id = ?", at, ask.id)
    const done = {
      status: 'consumed',
      slackTs: '1.5',
      consumedAt: at,
      answeredAt: time,
      answer: { outcome: 'approve' },
    }
    expect(await owner.get(`/api/asks/${ask.id}`)).toMatchObject(done)
  })

  it('R5 the caller’s own preview of the change is not shown', async () => {
    const subject = { kind: 'diff', filePath: 'a.txt', diff: 'all of it', preview: '+harmless', files: [] }
    const ask = await openAsk(agent, session, { title: 'Write?', subject, origin: 'api' })
    const shown = await owner.get<{ subject: unknown }>(`/api/asks/${ask.id}`)
    expect(shown.subject).toEqual({ kind: 'diff', filePath: 'a.txt', diff: 'all of it', files: [] })
    await owner.post(`/api/asks/${ask.id}/answer`, approve)
  })

  it('R6 refuses a second approval while one is pending, with the first one’s id', async () => {
    const own = await startSession(agent)
    const approval = {
      origin: 'ask_approval',
      title: 'Write it?',
      subject: { kind: 'diff', filePath: 'a.txt', diff: '+a' },
    }
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => agent.send('POST', `/api/sessions/${own.id}/asks`, { body: approval })),
    )
    const [first, ...more] = replies.filter(({ status }) => status === 201)
    expect(more).toEqual([])
    const { id } = first!.body as Ask
    for (const { status, body } of replies.filter((reply) => reply !== first)) {
      expect(status).toBe(409)
      expect(body).toMatchObject({ error: { code: 'approval_pending', details: { askId: id } } })
    }
    await openAsk(agent, own)
    await owner.post(`/api/asks/${id}/answer`, approve)
    expect(await openAsk(agent, own, approval)).toMatchObject({ status: 'open' })
  })

  it('R9 a prompt that nobody answers continues automatically, marked automatic', async () => {
    await using events = await openEvents(owner, { query: '?type=ask.answered' })
    const ask = await openAsk(agent, session, { ...prompt('continuation'), timeoutSeconds: 1 })
    await events.first(({ data }) => data['id'] === ask.id)
    expect(await owner.get(`/api/asks/${ask.id}`)).toMatchObject({
      status: 'answered',
      automatic: true,
      answer: { outcome: 'continue' },
    })
  })

  it('R9 an error_recovery prompt never expires', async () => {
    expect(await openAsk(agent, session, { ...prompt('error_recovery'), timeoutSeconds: 1 })).toMatchObject({
      expiresAt: null,
    })
  })

  it('R9 an answer must match what was asked', async () => {
    const ask = await openAsk(agent, session, prompt('continuation'))
    const path = `/api/asks/${ask.id}/answer`
    for (const body of [
      approve,
      { outcome: 'refine' },
      { outcome: 'refine', instruction: '' },
      { outcome: 'maybe' },
      {},
    ])
      expect((await owner.refused('POST', path, body)).status).toBe(400)
    expect(await owner.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'open' })
    const refined = await owner.post(path, { outcome: 'refine', instruction: 'Use tabs' })
    expect(refined).toMatchObject({ status: 'answered', answer: { outcome: 'refine', instruction: 'Use tabs' } })
  })

  it('B4 an ask that needs two people waits for the second, and one rejection ends it', async () => {
    const ann = await newMachineUser(server, 'Ann')
    await owner.put(`/api/sessions/${session.id}/delegates/${ann.id}`)
    const ask = await openAsk(agent, session, { needed: 2 })
    const path = `/api/asks/${ask.id}/answer`
    expect(await owner.post(path, approve)).toMatchObject({ status: 'open', votes: [{}] })
    expect(await owner.refused('POST', path, approve)).toMatchObject({ status: 409, code: 'already_voted' })
    expect(await ann.api.post(path, approve)).toMatchObject({ status: 'answered' })
    const other = await openAsk(agent, session, { needed: 2 })
    await owner.post(`/api/asks/${other.id}/answer`, approve)
    const rejected = await ann.api.post(`/api/asks/${other.id}/answer`, { outcome: 'reject' })
    expect(rejected).toMatchObject({ status: 'answered', answer: { outcome: 'reject' } })
  })

  it('B1 the inbox pages newest first with a cursor, filtered by status and session', async () => {
    const own = await startSession(agent)
    const made: string[] = []
    for (let n = 0; n < 7; n += 1) made.push((await openAsk(agent, own, { subject: { kind: 'wait' } })).id)
    const seen: string[] = []
    let before = ''
    for (let page = 0; page < 10; page += 1) {
      const query = `/api/asks?sessionId=${own.id}&status=open&limit=3${before}`
      const { asks, next } = await owner.get<{ asks: Ask[]; next: string | null }>(query)
      seen.push(...asks.map(({ id }) => id))
      if (next === null) break
      before = `&before=${encodeURIComponent(next)}`
    }
    expect(seen).toEqual(made.toReversed())
    expect((await owner.refused('GET', '/api/asks?status=open,odd')).status).toBe(400)
    expect(await owner.get(`/api/asks?sessionId=${nobody()}`)).toEqual({ asks: [], next: null })
  })
})
