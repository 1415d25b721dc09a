import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMachineUser, newPerson } from '../conformance/people.ts'
import { newToken } from '../conformance/work.ts'
import { startServer, type Server } from '../support/server.ts'

type Terminal = { sessionId: string }

describe('another’s terminal', () => {
  let server: Server
  let id: string
  beforeAll(async () => {
    server = await startServer()
    const body = { sessionType: 'script', command: ['sh', '-c', 'echo owner-only; read a'] }
    id = (await server.api().post<Terminal>('/api/terminals', body)).sessionId
  })
  afterAll(async () => {
    await server?.api().post(`/api/terminals/${id}/end`)
    await server?.[Symbol.asyncDispose]()
  })

  it('S1 can’t be adopted by its id by a person without a role', async () => {
    const eve = await newPerson(server, 'Eve')
    const refused = await eve.api.refused('POST', '/api/terminals/adopt', { childId: `t-${id}` })
    expect([refused.status, refused.code]).toEqual([403, 'needs_machine'])
    expect((await eve.api.refused('GET', `/api/terminals/${id}`)).status).toBe(404)
  })

  it('S1 nor by another person with the machine right, an agent or a read-only token', async () => {
    const max = await newMachineUser(server, 'Max')
    const refused = await max.api.refused('POST', '/api/terminals/adopt', { childId: `t-${id}` })
    expect([refused.status, refused.code]).toEqual([404, 'child_not_found'])
    const { token: agent } = await newToken(server.api(), { name: 'agent', scope: 'agent' })
    const { token: reads } = await newToken(server.api(), { name: 'reads', scope: 'read' })
    for (const token of [agent, reads])
      expect((await server.api(token).refused('POST', '/api/terminals/adopt', { childId: `t-${id}` })).status).toBe(403)
  })

  it('S1 its owner can adopt it again', async () => {
    const adopted = await server.api().post<Terminal>('/api/terminals/adopt', { childId: `t-${id}` })
    expect(adopted.sessionId).toBe(id)
  })
})
