import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import type { Session, SessionDetail } from './shapes.ts'
import { newAgent, nobody, openAsk, roomy, startSession } from './work.ts'

const ends = { complete: 'completed', cancel: 'cancelled', fail: 'error', terminate: 'terminated' }

/** The promised table, in the verbs of the API. */
const allowed: Record<string, Record<string, string>> = {
  created: { interrupt: 'interrupted', cancel: 'cancelled', fail: 'error', terminate: 'terminated' },
  active: { pause: 'paused', interrupt: 'interrupted', ...ends },
  paused: { resume: 'active', interrupt: 'interrupted', ...ends },
  interrupted: { recover: 'active', cancel: 'cancelled', terminate: 'terminated' },
  completed: {},
  cancelled: {},
  error: {},
  terminated: {},
}
const verbs = ['pause', 'resume', 'complete', 'cancel', 'interrupt', 'recover', 'fail', 'terminate']
const wayTo: Record<string, string[]> = {
  active: [],
  paused: ['pause'],
  interrupted: ['interrupt'],
  completed: ['complete'],
  cancelled: ['cancel'],
  error: ['fail'],
  terminated: ['terminate'],
}
const hasEnded = (status: string): boolean => Object.keys(allowed[status] ?? {}).length === 0

describe.each(databases)('session states on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  /** The agent reports its own state; everything else is up to the owner. */
  function move(verb: string, { id }: { id: string }) {
    if (verb === 'cancel') return owner.send('DELETE', `/api/sessions/${id}`)
    const who = verb === 'interrupt' || verb === 'fail' ? agent : owner
    return who.send('POST', `/api/sessions/${id}/${verb}`, { body: {} })
  }

  async function sessionIn(status: string): Promise<Session> {
    const session = await startSession(agent)
    if (status === 'created') {
      // Only a spawned agent stays in this state for long.
      await using look = await lookInto(server)
      await look.change("update sessions set status = 'created' where id = ?", session.id)
    } else for (const verb of wayTo[status]!) await move(verb, session)
    expect(await owner.get(`/api/sessions/${session.id}`)).toMatchObject({ status })
    return session
  }

  async function seen({ id }: Session) {
    const { events } = await owner.get<{ events: unknown[] }>(`/api/audit?session=${id}`)
    return { session: await owner.get<SessionDetail>(`/api/sessions/${id}`), events }
  }

  it.each(Object.keys(allowed))('R1 a session that is %s changes only as the table allows', async (from) => {
    for (const verb of verbs) {
      const session = await sessionIn(from)
      const before = await seen(session)
      const reply = await move(verb, session)
      const after = await seen(session)
      const to = allowed[from]![verb]
      const { error } = reply.body as { error?: { code: string } }
      expect([verb, reply.status, error?.code]).toEqual([
        verb,
        ...(to ? [200, undefined] : [409, 'illegal_transition']),
      ])
      expect(to ? after.session.status : after).toEqual(to ?? before)
      expect(after.session.terminatedAt === null).toBe(!hasEnded(to ?? from))
    }
  })

  it('R1 of many simultaneous changes exactly one wins, and the others change nothing', async () => {
    const session = await startSession(agent)
    const replies = await Promise.all(Array.from({ length: 10 }, () => move('pause', session)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(9)
    const { events } = await owner.get<{ events: { type: string; data: { to: string } }[] }>(
      `/api/audit?session=${session.id}&type=session.status_changed`,
    )
    expect(events.map(({ data }) => data.to)).toEqual(['paused', 'active'])
  })

  it('R1 asks of a paused or interrupted session stay answerable', async () => {
    for (const verb of ['pause', 'interrupt']) {
      const session = await startSession(agent)
      const ask = await openAsk(agent, session)
      await move(verb, session)
      expect(await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })).toMatchObject({
        status: 'answered',
      })
    }
  })

  it('R1 a session that ends interrupts its open asks, and accepts no new ones', async () => {
    const session = await startSession(agent)
    const ask = await openAsk(agent, session)
    await move('complete', session)
    expect(await owner.get(`/api/asks/${ask.id}`)).toMatchObject({ status: 'interrupted' })
    const late = await owner.refused('POST', `/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    expect(late).toMatchObject({ status: 409, code: 'ask_interrupted' })
    const more = await agent.refused('POST', `/api/sessions/${session.id}/asks`, {
      title: 'One more?',
      subject: { kind: 'wait' },
    })
    expect(more).toMatchObject({ status: 409, code: 'session_ended' })
  })

  it('R1 changing an unknown session is 404', async () => {
    for (const verb of verbs) expect([verb, (await move(verb, { id: nobody() })).status]).toEqual([verb, 404])
  })

  it('A10 cancelling and failing leave a system message with the reason', async () => {
    const cancelled = await startSession(agent)
    await owner.delete(`/api/sessions/${cancelled.id}?reason=changed%20my%20mind`)
    const failed = await startSession(agent)
    await agent.post(`/api/sessions/${failed.id}/fail`, { reason: 'out of memory' })
    for (const [{ id }, reason] of [
      [cancelled, 'changed my mind'],
      [failed, 'out of memory'],
    ] as const) {
      const { messages } = await owner.get<SessionDetail>(`/api/sessions/${id}`)
      expect(messages).toMatchObject([{ role: 'system', content: { type: 'text' } }])
      expect(JSON.stringify(messages)).toContain(reason)
    }
  })
})
