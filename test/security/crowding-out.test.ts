import { request, type ClientRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import { newToken, roomy } from '../conformance/work.ts'
import { startServer, usualDatabases, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { fillDatabase, type LargeDatabase } from './large-database.ts'

describe.each(usualDatabases)('S8 one login does not crowd out others on %s', (database) => {
  let server: Server
  let rows: LargeDatabase
  let ann: Person
  let eve: Person
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    ;[ann, eve] = [await newPerson(server, 'Ann'), await newPerson(server, 'Eve')]
    rows = await fillDatabase(server, { ownerId: ann.id, sessions: 100, messages: 1000, events: 60_000 })
  }, 120_000)
  afterAll(() => server?.[Symbol.asyncDispose]())

  const searches = 100

  it('searches of one person queue behind each other, not in front of others', async () => {
    const answered: number[] = []
    const all = Array.from({ length: searches }, async () => {
      const { status } = await eve.api.send('GET', '/api/audit?text=zzzz&limit=100')
      answered.push(status)
    })
    await until(() => answered.length > 0)
    const before = answered.length
    const others = [
      await ann.api.send('GET', '/api/asks'),
      await ann.api.send('GET', '/api/sessions'),
      await server.api().send('GET', `/api/sessions/${rows.longSession}`),
    ]
    const meanwhile = answered.length - before
    await Promise.all(all)
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200])
    // In a single queue they would come last.
    expect(meanwhile).toBeLessThan(searches / 2)
  })

  it('more tokens do not allow more open requests', async () => {
    using held = new DisposableStack()
    const hold = (token: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}` }
        const call: ClientRequest = request(`${server.address}/api/events`, { headers, agent: false }, (response) => {
          response.resume().on('error', () => {})
          resolve(response.statusCode ?? 0)
        })
        call.on('error', reject).end()
        held.defer(() => call.on('error', () => {}).destroy())
      })
    const tokens = [
      eve.token,
      (await newToken(eve.api, { name: 'two' })).token,
      (await newToken(eve.api, { name: 'three', scope: 'read' })).token,
    ]
    const statuses = await Promise.all(tokens.flatMap((token) => Array.from({ length: 100 }, () => hold(token))))
    expect(statuses.filter((status) => status === 200)).toHaveLength(200)
    expect((await ann.api.send('GET', '/api/me')).status).toBe(200)
  })
})
