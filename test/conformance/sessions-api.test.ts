import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, freshHome, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import type { Message, Repo, Session, SessionDetail, SessionPage } from './shapes.ts'
import { newAgent, nobody, roomy, startSession } from './work.ts'

describe.each(databases)('the list of sessions on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  const made: Session[] = []
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
    for (let n = 0; n < 25; n += 1) made.push(await startSession(agent, { prompt: `number ${n}` }))
    for (const { id } of made.slice(0, 3)) await owner.post(`/api/sessions/${id}/pause`)
    for (const { id } of made.slice(3, 5)) await owner.post(`/api/sessions/${id}/complete`)
    await agent.post(`/api/sessions/${made[5]!.id}/fail`)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const list = (query = '') => owner.get<SessionPage>(`/api/sessions${query}`)
  const ids = (page: SessionPage) => page.sessions.map(({ id }) => id)
  const newestFirst = () => made.map(({ id }) => id).toReversed()

  it('A2 returns twenty, newest first, with total, limit and offset, and no messages inside', async () => {
    const page = await list()
    expect(page).toMatchObject({ total: 25, limit: 20, offset: 0 })
    expect(ids(page)).toEqual(newestFirst().slice(0, 20))
    for (const session of page.sessions) expect(session).not.toHaveProperty('messages')
  })

  it('A2 limit and offset select a page', async () => {
    const page = await list('?limit=7&offset=20')
    expect(page).toMatchObject({ total: 25, limit: 7, offset: 20 })
    expect(ids(page)).toEqual(newestFirst().slice(20))
    expect(await list('?offset=1000')).toMatchObject({ sessions: [], total: 25 })
    expect((await list('?limit=100')).sessions).toHaveLength(25)
    expect((await list('?limit=1')).sessions).toHaveLength(1)
  })

  it.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=ten',
    'limit=1.5',
    'offset=-1',
    'offset=x',
    'status=odd',
    'status=active,odd',
    'status=',
    'repoId=nope',
    'colour=red',
    'before=nonsense',
  ])('A2 ?%s is 400', async (query) => {
    expect((await owner.refused('GET', `/api/sessions?${query}`)).status).toBe(400)
  })

  it('A2 filters by one status and by several', async () => {
    expect(await list('?status=paused')).toMatchObject({ total: 3 })
    expect(ids(await list('?status=completed'))).toEqual([made[4]!.id, made[3]!.id])
    const several = await list('?status=paused,error')
    expect(several.total).toBe(4)
    expect(ids(several)).toEqual([5, 2, 1, 0].map((n) => made[n]!.id))
    expect(await list('?status=cancelled')).toMatchObject({ total: 0, sessions: [] })
  })

  it('A2 a cursor covers all sessions once, while new ones are started', async () => {
    const seen: string[] = []
    let query = '?limit=4'
    for (let page = 0; page < 20; page += 1) {
      const { next, ...rest } = await list(query)
      seen.push(...rest.sessions.map(({ id }) => id))
      if (next === null) break
      await owner.delete(`/api/sessions/${(await startSession(agent)).id}`)
      query = `?limit=4&before=${encodeURIComponent(next)}`
    }
    expect(seen).toEqual(newestFirst())
  })

  it('A2 a cursor works with a filter, and covers sessions of the same instant', async () => {
    await using look = await lookInto(server)
    const same = await Promise.all(Array.from({ length: 6 }, () => startSession(agent)))
    for (const { id } of same)
      await look.change(
        "update sessions set created_at = '2020-01-01T00:00:00.000Z', status = 'interrupted' where id = ?",
        id,
      )
    const seen: string[] = []
    let query = ''
    for (let page = 0; page < 10; page += 1) {
      const { next, ...rest } = await list(`?status=interrupted&limit=2${query}`)
      seen.push(...rest.sessions.map(({ id }) => id))
      if (next === null) break
      query = `&before=${encodeURIComponent(next)}`
    }
    expect(seen).toHaveLength(6)
    expect(new Set(seen)).toEqual(new Set(same.map(({ id }) => id)))
  })

  it('A2 sessions of the same instant are in one fixed order', async () => {
    expect(ids(await list('?limit=100'))).toEqual(ids(await list('?limit=100')))
  })
})

describe.each(databases)('a session and its messages on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const say = (session: Session, text: string) =>
    agent.post<Message>(`/api/sessions/${session.id}/messages`, {
      role: 'agent',
      content: { type: 'text', text, partial: false },
    })

  it('A3 returns the session with all its messages in order', async () => {
    const session = await startSession(agent)
    const sent: Message[] = []
    for (let n = 0; n < 30; n += 1) sent.push(await say(session, `line ${n}`))
    const detail = await owner.get<SessionDetail>(`/api/sessions/${session.id}`)
    expect(detail.messages).toEqual(sent)
    expect(detail.messages.map(({ content }) => content['text'])).toEqual(sent.map((_, n) => `line ${n}`))
  })

  it('A3 an unknown session is 404, and an invalid id 400', async () => {
    expect(await owner.refused('GET', `/api/sessions/${nobody()}`)).toMatchObject({
      status: 404,
      code: 'session_not_found',
    })
    expect(await owner.refused('GET', '/api/sessions/17')).toMatchObject({ status: 400 })
    expect(await owner.refused('GET', `/api/sessions/${nobody()}/messages`)).toMatchObject({ status: 404 })
  })

  it('A5 messages come strictly after a time', async () => {
    const session = await startSession(agent)
    const sent: Message[] = []
    for (let n = 0; n < 5; n += 1) sent.push(await say(session, `line ${n}`))
    await using look = await lookInto(server)
    const times = sent.map((_, n) => `2026-03-04T05:06:07.00${Math.floor(n / 2)}Z`)
    for (const [n, { id }] of sent.entries())
      await look.change('update messages set timestamp = ? where id = ?', times[n], id)
    const path = `/api/sessions/${session.id}/messages`
    const after = async (since: string) =>
      (await owner.get<Message[]>(`${path}?since=${encodeURIComponent(since)}`)).map(({ id }) => id)
    const idsOf = (...which: number[]) => which.map((n) => sent[n]!.id)
    expect((await owner.get<Message[]>(path)).map(({ id }) => id)).toEqual(idsOf(0, 1, 2, 3, 4))
    expect(await after('2026-03-04T05:06:06.999Z')).toEqual(idsOf(0, 1, 2, 3, 4))
    expect(await after('2026-03-04T05:06:07.000Z')).toEqual(idsOf(2, 3, 4))
    expect(await after('2026-03-04T05:06:07Z')).toEqual(idsOf(2, 3, 4))
    expect(await after('2026-03-04T06:06:07.001+01:00')).toEqual(idsOf(4))
    expect(await after('2026-03-04T05:06:07.002Z')).toEqual([])
  })

  it.each(['yesterday', '17', '2026-13-01T00:00:00Z', '2026-03-04', ''])('A5 since=%j is 400', async (since) => {
    const session = await startSession(agent)
    const path = `/api/sessions/${session.id}/messages?since=${encodeURIComponent(since)}`
    expect((await owner.refused('GET', path)).status).toBe(400)
  })

  it('A8 messages of the same instant keep the order they were written in', async () => {
    const session = await startSession(agent)
    const sent: string[] = []
    for (let n = 0; n < 12; n += 1) sent.push((await say(session, `line ${n}`)).id)
    await using look = await lookInto(server)
    await look.change("update messages set timestamp = '2026-01-01T00:00:00.000Z' where session_id = ?", session.id)
    expect((await owner.get<Message[]>(`/api/sessions/${session.id}/messages`)).map(({ id }) => id)).toEqual(sent)
  })

  it('A7 content is an object in REST and JSON text in the database', async () => {
    const session = await startSession(agent)
    const contents = [
      { type: 'text', text: 'Grüße 👋 "quoted"\n', partial: false },
      { type: 'plan', steps: [{ title: 'dig' }, 'fill'] },
      { type: 'tool', tool: 'grep', args: { pattern: 'x' }, result: { lines: 3 } },
    ]
    for (const content of contents)
      await agent.post(`/api/sessions/${session.id}/messages`, { role: 'system', content })
    const { messages } = await owner.get<SessionDetail>(`/api/sessions/${session.id}`)
    expect(messages.map(({ content }) => content)).toEqual(contents)
    await using look = await lookInto(server)
    const rows = await look.rows<{ content: string }>(
      'select content from messages where session_id = ? order by seq',
      session.id,
    )
    expect(rows.map(({ content }) => JSON.parse(content))).toEqual(contents)
  })

  it('A7 an ended session refuses messages', async () => {
    const session = await startSession(agent)
    await owner.post(`/api/sessions/${session.id}/complete`)
    const body = { role: 'agent', content: { type: 'text', text: 'too late' } }
    expect(await agent.refused('POST', `/api/sessions/${session.id}/messages`, body)).toMatchObject({
      status: 409,
      code: 'session_ended',
    })
  })
})

describe.each(databases)('repos on %s', (database) => {
  let server: Server
  let place: string
  let root: string
  let owner: Api
  beforeAll(async () => {
    place = await freshHome()
    root = join(place, 'repos')
    for (const name of ['one', 'deep/two', 'plain', '../outside']) mkdirSync(join(root, name), { recursive: true })
    for (const name of ['one', 'deep/two', '../outside']) execFileSync('git', ['init', '-q', join(root, name)])
    symlinkSync(join(place, 'outside'), join(root, 'link'))
    server = await startServer({ database, config: roomy, env: { AGENT_WORKSPACE_ROOT: root } })
    owner = server.api()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    rmSync(place, { recursive: true, force: true })
  })

  it('A3 a session knows its repo, and the list filters by it', async () => {
    const repo = await owner.post<Repo>('/api/repos', { path: join(root, 'one') })
    const session = await startSession(owner, { workspaceRoot: undefined, repoId: repo.id })
    await startSession(owner, { workspaceRoot: join(root, 'plain') })
    expect(await owner.get<SessionDetail>(`/api/sessions/${session.id}`)).toMatchObject({
      repo,
      workspaceRoot: repo.path,
    })
    const page = await owner.get<SessionPage>(`/api/sessions?repoId=${repo.id}`)
    expect(page).toMatchObject({ total: 1, sessions: [{ id: session.id, repoId: repo.id }] })
    expect(await owner.get(`/api/sessions?repoId=${nobody()}`)).toMatchObject({ total: 0 })
  })

  it('A1 an unknown repo is 404, and a repo outside the workspace root 403, links resolved', async () => {
    expect(await owner.refused('POST', '/api/sessions', { protocolMode: 'mcp', repoId: nobody() })).toMatchObject({
      status: 404,
    })
    for (const path of [join(place, 'outside'), join(root, 'link'), `${root}/../outside`])
      expect([path, (await owner.refused('POST', '/api/repos', { path })).status]).toEqual([path, 403])
    expect(await owner.get('/api/audit?type=security.*')).toMatchObject({ events: [{}, {}, {}] })
    expect(await owner.refused('POST', '/api/repos', { path: join(root, 'plain') })).toMatchObject({
      status: 400,
      code: 'not_a_repo',
    })
    expect(await owner.refused('POST', '/api/repos', { path: join(root, 'none') })).toMatchObject({ status: 404 })
    expect(await owner.refused('POST', '/api/repos', { path: 'one' })).toMatchObject({ status: 400 })
  })

  it('A1 scanning the workspace root registers new repos, once', async () => {
    const first = await owner.post<{ registered: Repo[] }>('/api/repos/scan')
    expect(first.registered.map(({ name }) => name)).toContain('two')
    expect(await owner.post('/api/repos/scan')).toEqual({ registered: [], known: 2 })
    expect((await owner.list<Repo>('/api/repos')).map(({ name }) => name)).toEqual(['one', 'two'])
  })
})
