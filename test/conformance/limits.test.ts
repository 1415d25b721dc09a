import { describe, expect, it } from 'vitest'
import { databases, startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { SessionPage } from './shapes.ts'
import { newAgent, startSession } from './work.ts'

const mcp = { protocolMode: 'mcp', workspaceRoot: '/srv/place' }

describe.each(databases)('limits on %s', (database) => {
  it('R4 three sessions by default, exact with twenty simultaneous creates', async () => {
    await using server = await startServer({ database })
    const agent = await newAgent(server)
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => agent.send('POST', '/api/sessions', { body: mcp })),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = replies.filter(({ status }) => status !== 201)
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after']]).toEqual([429, '60'])
      expect(body).toMatchObject({
        error: { code: 'session_limit', message: expect.stringContaining('3'), hint: expect.any(String) },
      })
    }
    expect((await server.api().get<SessionPage>('/api/sessions')).total).toBe(3)
  })

  it('R4 created, active and paused sessions take a slot; interrupted and ended ones do not', async () => {
    await using server = await startServer({ database, config: 'max_concurrent_sessions = 1\n' })
    const owner = server.api()
    const agent = await newAgent(server)
    const full = async () => (await agent.send('POST', '/api/sessions', { body: mcp })).status === 429
    const first = await startSession(agent)
    expect(await full()).toBe(true)
    await owner.post(`/api/sessions/${first.id}/pause`)
    expect(await full()).toBe(true)
    expect(await owner.post(`/api/sessions/${first.id}/resume`)).toMatchObject({ status: 'active' })
    await agent.post(`/api/sessions/${first.id}/interrupt`)
    const second = await startSession(agent)
    const recovering = await owner.refused('POST', `/api/sessions/${first.id}/recover`, {})
    expect(recovering).toMatchObject({ status: 429, code: 'session_limit' })
    expect(recovering.headers['retry-after']).toBe('60')
    expect(await owner.get(`/api/sessions/${first.id}`)).toMatchObject({ status: 'interrupted' })
    await owner.post(`/api/sessions/${second.id}/complete`)
    expect(await owner.post(`/api/sessions/${first.id}/recover`)).toMatchObject({ status: 'active' })
    expect(await full()).toBe(true)
  })

  it('R4 simultaneous recoveries succeed only as far as slots are free', async () => {
    await using server = await startServer({ database, config: 'max_concurrent_sessions = 2\n' })
    const agent = await newAgent(server)
    const lost = []
    for (let n = 0; n < 6; n += 1) {
      const session = await startSession(agent)
      await agent.post(`/api/sessions/${session.id}/interrupt`)
      lost.push(session)
    }
    const mixed = await Promise.all([
      ...lost.map(({ id }) => agent.send('POST', `/api/sessions/${id}/recover`, { body: {} })),
      ...lost.map(() => agent.send('POST', '/api/sessions', { body: mcp })),
    ])
    expect(mixed.filter(({ status }) => status < 300)).toHaveLength(2)
    expect((await server.api().get<SessionPage>('/api/sessions?status=active')).total).toBe(2)
  })

  it('R4 a restart takes over the slot of the session it replaces', async () => {
    await using server = await startServer({ database, config: 'max_concurrent_sessions = 1\n' })
    const session = await startSession(server.api())
    expect(await server.api().post(`/api/sessions/${session.id}/restart`)).toMatchObject({ status: 'active' })
    expect((await server.api().get<SessionPage>('/api/sessions?status=active')).total).toBe(1)
  })

  it('R4 each change of the count is logged', async () => {
    await using server = await startServer({ database })
    const owner = server.api()
    const agent = await newAgent(server)
    const first = await startSession(agent)
    const second = await startSession(agent)
    await owner.post(`/api/sessions/${first.id}/pause`)
    await agent.post(`/api/sessions/${first.id}/interrupt`)
    await owner.post(`/api/sessions/${second.id}/complete`)
    await owner.post(`/api/sessions/${first.id}/recover`)
    const { events } = await owner.get<{ events: { data: { slots: number } }[] }>(
      '/api/audit?type=session.status_changed',
    )
    expect(events.toReversed().map(({ data }) => data.slots)).toEqual([1, 2, 2, 1, 0, 1])
    const counts = () =>
      server
        .log()
        .split('\n')
        .filter((line) => line.includes('session.status_changed'))
        .map((line) => Number(Object.entries(JSON.parse(line)).find(([name]) => /open|slots/i.test(name))?.[1]))
    expect(await until(() => counts().length === 6 && counts())).toEqual([1, 2, 2, 1, 0, 1])
  })
})
