import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { newPerson } from './people.ts'
import type { Session } from './shapes.ts'
import { newAgent, roomy, startSession } from './work.ts'

type Listed = Session & { name: string | null; title: string; pinnedAt: string | null; archivedAt: string | null }
type Page = { sessions: Listed[]; total: number; next: string | null }

describe.each(databases)('names of sessions on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const at = (id: string, more: string) => `/api/sessions/${id}/${more}`
  const list = (query = '') => owner.get<Page>(`/api/sessions?view=full&limit=100${query}`)
  const idsOf = ({ sessions }: Page) => sessions.map(({ id }) => id)

  it('B17 a session is named, renamed and found by its name, also after a restart', async () => {
    const { id } = await startSession(agent, { prompt: 'Mend the gate' })
    expect(await owner.post<Listed>(at(id, 'name'), { name: '  The green gate ' })).toMatchObject({
      name: 'The green gate',
    })
    await server.restart()
    owner = server.api()
    agent = await newAgent(server)
    const found = (await list('&q=GREEN%20g')).sessions
    expect(found).toMatchObject([{ id, title: 'The green gate', prompt: 'Mend the gate' }])
    expect((await server.cli('sessions', 'show', 'the green gate')).stdout).toContain(id)
    const next = await owner.post<Listed>(at(id, 'restart'), {})
    expect(next).toMatchObject({ name: 'The green gate' })
    const cli = await server.cli('sessions', 'rename', id, 'The', 'old', 'gate')
    expect(cli).toMatchObject({ code: 0, stdout: expect.stringContaining('is now called The old gate') })
    expect((await server.cli('sessions', 'rename', id, '--clear')).code).toBe(0)
    expect(await owner.get<Listed>(`/api/sessions/${id}`)).toMatchObject({ name: null })
    const { events } = await owner.get<{ events: { type: string; data: object }[] }>(`/api/audit?session=${id}`)
    expect(events.filter(({ type }) => type === 'session.renamed').map(({ data }) => data)).toMatchObject([
      { from: 'The old gate', to: null },
      { from: 'The green gate', to: 'The old gate' },
      { from: null, to: 'The green gate' },
    ])
  })

  it('B17 it can be named when it starts; a name is one line of at most 120 characters', async () => {
    const { id } = await startSession(agent, { name: 'From the start' })
    expect(await owner.get<Listed>(`/api/sessions/${id}`)).toMatchObject({ name: 'From the start' })
    for (const name of ['', '  ', 'two\nlines', 'a\u0000b', 'x'.repeat(121), 7])
      expect(await owner.refused('POST', at(id, 'name'), { name })).toMatchObject({ status: 400 })
    expect(await server.cli('sessions', 'rename', id)).toMatchObject({ code: 2 })
  })

  it('B17 archived sessions are left out of lists and totals unless asked for', async () => {
    const { id } = await startSession(agent)
    expect(await owner.refused('POST', at(id, 'archive'), { archived: true })).toMatchObject({
      status: 409,
      code: 'session_open',
    })
    await owner.post(at(id, 'pin'), { pinned: true })
    await owner.post(at(id, 'complete'), {})
    const before = await list()
    for (let time = 0; time < 2; time += 1) await owner.post(at(id, 'archive'), { archived: true })
    const [after, plain] = [await list(), await owner.get<Page>('/api/sessions?status=completed')]
    expect(idsOf(after)).toEqual(idsOf(before).filter((one) => one !== id))
    expect(after.total).toBe(before.total - 1)
    expect(idsOf(plain)).not.toContain(id)
    expect(plain.total).toBe(plain.sessions.length)
    expect(await list('&archived=true')).toMatchObject({ total: 1, sessions: [{ id, pinnedAt: null }] })
    expect(await list('&archived=any')).toMatchObject({ total: before.total })
    expect((await server.cli('sessions')).stdout).not.toContain(id.slice(0, 8))
    expect((await server.cli('sessions', '--archived')).stdout).toContain(id.slice(0, 8))
    expect((await server.cli('sessions', 'unarchive', id.slice(0, 13))).code).toBe(0)
    expect(idsOf(await list())).toContain(id)
  })

  it('B17 pinned sessions are listed by themselves; pinning brings one back from the archive', async () => {
    const [one, two] = [await startSession(agent), await startSession(agent)]
    expect((await server.cli('sessions', 'pin', one.id)).code).toBe(0)
    expect(idsOf(await list('&pinned=true'))).toEqual([one.id])
    await owner.post(at(two.id, 'complete'), {})
    await owner.post(at(two.id, 'archive'), { archived: true })
    await owner.post(at(two.id, 'pin'), { pinned: true })
    expect(await list('&pinned=true')).toMatchObject({ sessions: [{ id: two.id, archivedAt: null }, { id: one.id }] })
    expect((await server.cli('sessions', 'unpin', one.id)).code).toBe(0)
    expect(idsOf(await list('&pinned=true'))).toEqual([two.id])
  })

  it('R3 B17 only who acts on a session renames, pins or archives it', async () => {
    const { id } = await startSession(agent)
    const stranger = await newPerson(server, 'Sam')
    const wishes = { name: { name: 'Mine' }, pin: { pinned: true }, archive: { archived: true } }
    for (const [what, body] of Object.entries(wishes)) {
      expect(await stranger.api.refused('POST', at(id, what), body)).toMatchObject({ status: 404 })
      expect(await agent.refused('POST', at(id, what), body)).toMatchObject({ status: 403 })
    }
  })
})
