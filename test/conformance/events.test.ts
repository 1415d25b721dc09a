import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { openEvents, type LogEvent } from '../support/sse.ts'
import { until, within } from '../support/until.ts'
import { grantRole, newMachineUser, newPerson } from './people.ts'
import { exportLog, newAgent, newToken, nobody, openAsk, roomy, startSession } from './work.ts'

const quiet = (api: Api, path: string) => api.refused('GET', path)
const says = (text: string) => ({ role: 'agent', content: { type: 'text', text } })

describe.each(databases)('live events on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api((await newToken(server.api())).token)
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const log = (filter = '') => exportLog(owner, filter)

  it('B11 events arrive live, each with id, type, actor and what it is about', async () => {
    await using events = await openEvents(owner, { query: '?type=session.*,ask.*' })
    const session = await startSession(agent)
    const ask = await openAsk(agent, session)
    await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    await events.first(({ type }) => type === 'ask.answered')
    expect(events.heard.map(({ type }) => type)).toEqual([
      'session.started',
      'session.status_changed',
      'ask.opened',
      'ask.answered',
    ])
    expect(events.heard.at(-1)).toMatchObject({
      id: expect.any(String),
      actor: expect.stringMatching(/^user:/),
      sessionId: session.id,
      data: { id: ask.id, outcome: 'approve' },
    })
    expect(events.lastId()).toBe(events.heard.at(-1)!.cursor)
  })

  it.each(['Last-Event-ID', 'after'])('B11 %s resumes after a gap, with nothing lost or repeated', async (how) => {
    const session = await startSession(agent)
    const heard: LogEvent[] = []
    let last: string | undefined
    for (let round = 0; round < 4; round += 1) {
      const resume =
        how === 'after'
          ? { query: `?session=${session.id}&after=${last ?? '0.0'}` }
          : { query: `?session=${session.id}`, lastEventId: last ?? '0.0' }
      await using events = await openEvents(owner, resume)
      await agent.post(`/api/sessions/${session.id}/messages`, says(`while connected ${round}`))
      await events.first(() => events.heard.length >= (round === 0 ? 3 : 4))
      heard.push(...events.heard)
      last = events.lastId()
      events.close()
      for (let n = 0; n < 3; n += 1) await agent.post(`/api/sessions/${session.id}/messages`, says(`in the gap ${n}`))
    }
    const all = await log(`session=${session.id}`)
    expect(heard.map(({ id }) => id)).toEqual(all.slice(0, heard.length).map(({ id }) => id))
    expect(all.length - heard.length).toBe(3)
  })

  it('B11 from the beginning, the stream sends the whole log, then live events', async () => {
    await using events = await openEvents(owner, { query: '?after=0.0' })
    const session = await startSession(agent)
    await events.first(({ sessionId, type }) => sessionId === session.id && type === 'session.status_changed')
    expect(events.heard.map(({ id }) => id)).toEqual((await log()).map(({ id }) => id))
  })

  it('B11 without a cursor only new events are sent', async () => {
    const onlyNew = async () => {
      await startSession(agent)
      await exportLog(owner)
      await using events = await openEvents(owner)
      const session = await startSession(agent)
      await events.first(({ type, sessionId }) => type === 'session.status_changed' && sessionId === session.id)
      return events.heard.every(({ sessionId }) => sessionId === session.id)
    }
    // "Now" is what this server has seen; on PostgreSQL that may be slightly behind the log.
    expect(await until(onlyNew)).toBe(true)
  })

  it('B11 filters by session and by type, in past and live events', async () => {
    const [one, other] = [await startSession(agent), await startSession(agent)]
    await openAsk(agent, one)
    await using events = await openEvents(owner, {
      query: `?after=0.0&session=${one.id}&type=ask.*,session.status_changed`,
    })
    for (const session of [other, one]) {
      const ask = await openAsk(agent, session)
      await agent.post(`/api/sessions/${session.id}/messages`, says('not wanted'))
      await owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    }
    await events.first(({ type }) => type === 'ask.answered')
    expect(events.heard.map(({ type }) => type)).toEqual([
      'session.status_changed',
      'ask.opened',
      'ask.opened',
      'ask.answered',
    ])
    expect(events.heard.every(({ sessionId }) => sessionId === one.id)).toBe(true)
  })

  it.each(['after=nonsense', 'after=', 'session=17', 'type=%27', 'type=', 'since=now'])(
    'B11 ?%s is 400',
    async (query) => {
      expect((await quiet(owner, `/api/events?${query}`)).status).toBe(400)
    },
  )

  it('B11 a bad Last-Event-ID is 400, and without a token there is no stream', async () => {
    expect(await owner.refused('GET', '/api/events', undefined, { 'last-event-id': 'x y' })).toMatchObject({
      status: 400,
      code: 'bad_cursor',
    })
    expect((await quiet(server.tcp(), '/api/events')).status).toBe(401)
  })

  it('B11 people hear only what they may read, in past and live events', async () => {
    const [ann, bob] = [await newMachineUser(server, 'Ann'), await newMachineUser(server, 'Bob')]
    const before = [await startSession(ann.api), await startSession(bob.api)]
    await using annHears = await openEvents(ann.api, { query: '?after=0.0' })
    await using bobHears = await openEvents(bob.api, { query: '?after=0.0' })
    await using agentHears = await openEvents(agent, { query: '?after=0.0' })
    const after = [await startSession(bob.api), await startSession(ann.api)]
    const agents = await startSession(agent)
    await bobHears.first(({ sessionId }) => sessionId === after[0]!.id)
    await annHears.first(({ sessionId }) => sessionId === after[1]!.id)
    await agentHears.first(({ sessionId }) => sessionId === agents.id)
    const sessionsIn = (heard: readonly LogEvent[]) => new Set(heard.flatMap(({ sessionId }) => sessionId ?? []))
    expect(sessionsIn(annHears.heard)).toEqual(new Set([before[0]!.id, after[1]!.id]))
    expect(sessionsIn(bobHears.heard)).toEqual(new Set([before[1]!.id, after[0]!.id]))
    for (const event of annHears.heard) expect(event.ownerUserId).toBe(ann.id)
    for (const event of agentHears.heard) expect(event.sessionId).not.toBeNull()
    for (const { id } of [...before, ...after]) expect(sessionsIn(agentHears.heard)).not.toContain(id)
  })

  it('R3 the stream ends for someone who loses access to a session, live text included', async () => {
    const ben = await newPerson(server, 'Ben')
    const session = await startSession(server.api())
    await server.api().put(`/api/sessions/${session.id}/delegates/${ben.id}`)
    await using reader = await openEvents(ben.api, { query: `?live=${session.id}` })
    await server.api().send('DELETE', `/api/sessions/${session.id}/delegates/${ben.id}`)
    await expect(reader.ended).resolves.toBeUndefined()
  })

  it('B11 a delegate hears the session only while it is delegated', async () => {
    const ann = await newMachineUser(server, 'Ann')
    const session = await startSession(agent)
    const path = `/api/sessions/${session.id}`
    await using events = await openEvents(ann.api, { query: `?session=${session.id}` })
    await agent.post(`${path}/messages`, says('before'))
    await owner.put(`${path}/delegates/${ann.id}`)
    await agent.post(`${path}/messages`, says('during'))
    await events.first(({ type }) => type === 'message.added')
    await owner.delete(`${path}/delegates/${ann.id}`)
    await agent.post(`${path}/messages`, says('after'))
    const own = await startSession(ann.api)
    await using others = await openEvents(ann.api, { query: '?after=0.0' })
    await others.first(({ sessionId }) => sessionId === own.id)
    expect(events.heard.filter(({ type }) => type === 'message.added')).toHaveLength(1)
    expect(others.heard.filter(({ sessionId }) => sessionId === session.id)).toEqual([])
  })

  it('B11 revoking a token ends its stream at once', async () => {
    const made = await newToken(server.api(), { scope: 'read' })
    await using events = await openEvents(server.api(made.token))
    await server.api().delete(`/api/tokens/${made.id}`)
    await within(events.ended, 'the end of the stream')
    await expect(openEvents(server.api(made.token))).rejects.toThrow(/401/)
  })

  it('B11 a stream ends when its token expires', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString()
    const { token } = await newToken(server.api(), { expiresAt })
    await using events = await openEvents(server.api(token))
    await within(events.ended, 'the end of the stream', 20)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt))
  })

  it('B11 losing a role ends that person’s stream, and the next one has less', async () => {
    const ada = await newMachineUser(server, 'Ada')
    await grantRole(server, ada, 'admin')
    await using events = await openEvents(ada.api)
    const seen = await startSession(agent)
    await events.first(({ sessionId }) => sessionId === seen.id)
    await server.api().delete(`/api/users/${ada.id}/roles/admin`)
    await within(events.ended, 'the end of the stream')
    const own = await startSession(ada.api)
    await using less = await openEvents(ada.api, { query: '?after=0.0' })
    await less.first(({ sessionId }) => sessionId === own.id)
    expect(less.heard.filter(({ sessionId }) => sessionId === seen.id)).toEqual([])
  })

  it('B11 concurrent writers: a reader misses nothing and gets each session in order', async () => {
    await using events = await openEvents(owner, { query: '?type=message.added' })
    const sessions = await Promise.all(Array.from({ length: 8 }, () => startSession(agent)))
    const sent = await Promise.all(
      sessions.map(async (session) => {
        const ids: string[] = []
        for (let n = 0; n < 25; n += 1)
          ids.push((await agent.post<{ id: string }>(`/api/sessions/${session.id}/messages`, says(`${n}`))).id)
        return ids
      }),
    )
    await events.first(() => events.heard.length >= 200, 'the 200th message')
    sessions.forEach((session, index) => {
      const heard = events.heard.filter(({ sessionId }) => sessionId === session.id).map(({ data }) => data['id'])
      expect(heard).toEqual(sent[index])
    })
  })

  it('B11 a filter for an unknown thing gets nothing', async () => {
    await using events = await openEvents(owner, { query: `?after=0.0&session=${nobody()}` })
    await using all = await openEvents(owner)
    const session = await startSession(agent)
    await all.first(({ sessionId }) => sessionId === session.id)
    expect(events.heard).toEqual([])
  })
})

describe.each(databases)('a client that does not read on %s', (database) => {
  it('B11 is cut off, others continue, and it resumes without loss', async () => {
    await using server = await startServer({ database, config: roomy })
    const owner = server.api()
    const agent = await newAgent(server)
    const sessions = await Promise.all(Array.from({ length: 20 }, () => startSession(agent)))
    // Reasons are long, so that the stream is large: what no socket buffer holds must be buffered, or cut off.
    const reason = '☃'.repeat(2000)
    await using stuck = await openEvents(owner, { query: '?after=0.0' })
    await stuck.first(({ sessionId }) => sessionId === sessions.at(-1)!.id)
    stuck.stall()
    await using brisk = await openEvents(owner)
    const cutOff = () => server.log().includes('cut off')
    for (let round = 0; round < 200 && !cutOff(); round += 1)
      for (const verb of ['pause', 'resume'])
        await Promise.all(sessions.map(({ id }) => owner.post(`/api/sessions/${id}/${verb}`, { reason })))
    expect(cutOff()).toBe(true)
    stuck.goOn()
    await within(stuck.ended, 'the end of the stuck reader')
    const all = await exportLog(owner)
    await brisk.first(({ id }) => id === all.at(-1)!.id, 'the last event')
    await using resumed = await openEvents(owner, { lastEventId: stuck.lastId()! })
    await resumed.first(({ id }) => id === all.at(-1)!.id, 'the last event')
    expect([...stuck.heard, ...resumed.heard].map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  })
})
