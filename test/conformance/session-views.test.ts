import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import { newPerson } from './people.ts'
import type { Message, Repo, Session, SessionDetail } from './shapes.ts'
import { approve, newAgent, nobody, openAsk, roomy, startSession } from './work.ts'

type Full = Session & {
  title: string
  repoName: string | null
  ownerName: string
  usage: { costUsd: number | null } | null
  openAsks: number
}
type Page = { sessions: Full[]; total: number; next: string | null }
type Conversation = { messages: Message[]; next: string | null }

describe.each(databases)('views of sessions on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  let repo: Repo
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
    const path = join(server.outside, 'repos', 'the-lighthouse')
    mkdirSync(path, { recursive: true })
    execFileSync('git', ['init', '--quiet', path])
    repo = await owner.post<Repo>('/api/repos', { path: realpathSync(path), name: 'Lighthouse 100%' })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const list = (query = '') => owner.get<Page>(`/api/sessions?limit=100&${query}`)
  const found = async (query: string) => (await list(query)).sessions.map(({ id }) => id)
  const say = (session: Session, text: string) =>
    agent.post<Message>(`/api/sessions/${session.id}/messages`, {
      role: 'agent',
      content: { type: 'text', text, partial: false },
    })

  it('A2 is unchanged unless more is requested', async () => {
    await startSession(agent)
    const [session] = (await list()).sessions
    for (const name of ['title', 'repoName', 'ownerName', 'usage', 'openAsks']) expect(session).not.toHaveProperty(name)
  })

  it('B1 a full list has each session’s name, repo, owner, cost and number of open asks', async () => {
    const plain = await startSession(agent, { prompt: 'Paint the door\nred' })
    const inRepo = await startSession(agent, { repoId: repo.id, workspaceRoot: undefined })
    for (let n = 0; n < 3; n += 1) await openAsk(agent, plain, { title: `ask ${n}` })
    const { sessions, total } = await list('view=full')
    expect(total).toBe(sessions.length)
    const one = (id: string) => sessions.find((session) => session.id === id)
    const { user } = await owner.get<{ user: { displayName: string } }>('/api/me')
    expect(one(plain.id)).toMatchObject({
      title: 'Paint the door',
      repoName: null,
      ownerName: user.displayName,
      usage: null,
      openAsks: 3,
      waiting: true,
    })
    expect(one(inRepo.id)).toMatchObject({ title: 'the-lighthouse', repoName: 'Lighthouse 100%', openAsks: 0 })
  })

  it('A2 q matches the start of the id, prompt, agent, repo and folder, ignores case, and takes % and _ literally', async () => {
    const painted = await startSession(agent, { prompt: 'Varnish the Ärmel of the CHAIR' })
    const named = await startSession(agent, { agent: 'Grappa-Agent' })
    const placed = await startSession(owner, { workspaceRoot: '/srv/quince_orchard' })
    const inRepo = await startSession(agent, { repoId: repo.id, workspaceRoot: undefined })
    expect(await found(`q=${painted.id.slice(0, 13).toUpperCase()}`)).toEqual([painted.id])
    expect(await found(`q=${painted.id.slice(5, 20)}`)).toEqual([])
    expect(await found('q=vArNiSh')).toEqual([painted.id])
    const at = new Date(painted.createdAt).toISOString()
    expect(await found(`since=${at}&q=varnish`)).toEqual([painted.id])
    expect(await found(`until=${at}&q=varnish`)).toEqual([])
    expect(await list(`until=${at}`)).toMatchObject({ total: (await found(`until=${at}`)).length })
    expect(await found(`q=${encodeURIComponent('ärmel')}`)).toEqual([painted.id])
    expect(await found('q=grappa')).toEqual([named.id])
    expect(await found('q=quince_o')).toEqual([placed.id])
    expect(await found('q=quince-o')).toEqual([])
    expect(await found('q=100%25')).toContain(inRepo.id)
    expect(await found('q=0%25%25')).toEqual([])
    expect(await list('q=varnish')).toMatchObject({ total: 1, next: null })
  })

  it('A2 q finds the name an agent gives its session, whatever else it reports', async () => {
    await using look = await lookInto(server)
    const [titled, odd] = [await startSession(agent), await startSession(agent)]
    const told = async ({ id }: Session, about: object) =>
      look.change(
        `insert into agents (session_id, node_id, read_offset, about, state, held, stderr, updated_at)
           values (?, 'elsewhere', 0, ?, ?, '[]', '', '2026-01-01T00:00:00.000Z')`,
        id,
        JSON.stringify(about),
        JSON.stringify({ usage: { used: 10, size: 100, costUsd: 1.5 } }),
      )
    await told(titled, { title: 'Weaving Baskets', commands: [{ name: 'basketball' }] })
    await told(odd, { title: 'half a character \uD800, and a NUL \0' })
    expect(await found('q=weaving%20b')).toEqual([titled.id])
    expect(await found('q=basketball')).toEqual([])
    expect((await list('view=full&q=weaving')).sessions).toMatchObject([
      { title: 'Weaving Baskets', usage: { costUsd: 1.5 } },
    ])
  })

  it('A2 filters by agent, protocol, connectivity and waiting, combined and with a status', async () => {
    const session = await startSession(agent, { agent: 'weaver' })
    const other = await startSession(agent, { agent: 'weaver' })
    const ask = await openAsk(agent, session)
    expect(await found('agent=weaver')).toEqual([other.id, session.id])
    expect(await found('agent=weave')).toEqual([])
    expect(await found('agent=weaver&waiting=true')).toEqual([session.id])
    expect(await list('agent=weaver&waiting=true')).toMatchObject({ total: 1 })
    expect(await found('agent=weaver&protocol=acp,terminal')).toEqual([])
    expect(await found('agent=weaver&protocol=mcp')).toHaveLength(2)
    expect(await found('agent=weaver&connectivity=offline,stalled')).toEqual([])
    expect(await found('agent=weaver&connectivity=online')).toHaveLength(2)
    expect(await found('agent=weaver&status=completed')).toEqual([])
    await owner.post(`/api/asks/${ask.id}/answer`, approve)
    expect(await found('agent=weaver&waiting=true')).toEqual([])
    for (const wrong of ['view=half', 'protocol=smoke', 'waiting=maybe', 'connectivity=odd', 'q=', 'agent='])
      expect((await owner.refused('GET', `/api/sessions?${wrong}`)).status).toBe(400)
  })

  it('A2 sessions the viewer may not see are neither found nor counted', async () => {
    await startSession(agent, { prompt: 'a hidden walrus' })
    const { api } = await newPerson(server, 'Nosy')
    expect(await api.get('/api/sessions?q=walrus&view=full')).toMatchObject({ sessions: [], total: 0 })
  })

  it('A2 a filtered list continues with its cursor', async () => {
    const made: string[] = []
    for (let n = 0; n < 5; n += 1) made.push((await startSession(agent, { agent: 'pager' })).id)
    const seen: string[] = []
    let query = ''
    for (let page = 0; page < 5; page += 1) {
      const { sessions, next } = await owner.get<Page>(`/api/sessions?agent=pager&view=full&limit=2${query}`)
      seen.push(...sessions.map(({ id }) => id))
      if (next === null) break
      query = `&before=${encodeURIComponent(next)}`
    }
    expect(seen).toEqual(made.toReversed())
  })

  it('A3 a session is returned without its messages on request', async () => {
    const session = await startSession(agent)
    await say(session, 'hello')
    const path = `/api/sessions/${session.id}`
    expect(await owner.get<SessionDetail>(`${path}?messages=none`)).toMatchObject({ id: session.id, messages: [] })
    expect((await owner.get<SessionDetail>(path)).messages).toHaveLength(1)
    expect((await owner.refused('GET', `${path}?messages=some`)).status).toBe(400)
  })

  it('A3 a conversation is read from its end, page by page, each message once, even those of the same instant', async () => {
    const session = await startSession(agent)
    for (let n = 0; n < 12; n += 1) await say(session, `line ${n}`)
    await using look = await lookInto(server)
    await look.change(`update messages set timestamp = '2026-01-01T00:00:00.000Z' where session_id = ?`, session.id)
    const page = (query = '') => owner.get<Conversation>(`/api/sessions/${session.id}/conversation?limit=5${query}`)
    const texts = ({ messages }: Conversation) => messages.map(({ content }) => content['text'])
    const newest = await page()
    expect(texts(newest)).toEqual(['line 7', 'line 8', 'line 9', 'line 10', 'line 11'])
    await say(session, 'later')
    const older = await page(`&before=${newest.next}`)
    expect(texts(older)).toEqual(['line 2', 'line 3', 'line 4', 'line 5', 'line 6'])
    const oldest = await page(`&before=${older.next}`)
    expect([texts(oldest), oldest.next]).toEqual([['line 0', 'line 1'], null])
  })

  it('A3 a conversation of exactly one page has no next page, and someone else’s is not found', async () => {
    const session = await startSession(agent)
    const path = `/api/sessions/${session.id}/conversation`
    expect(await owner.get(path)).toEqual({ messages: [], next: null })
    for (let n = 0; n < 3; n += 1) await say(session, `line ${n}`)
    expect(await owner.get(`${path}?limit=3`)).toMatchObject({ next: null })
    expect((await owner.refused('GET', `${path}?before=nonsense`)).code).toBe('bad_cursor')
    const { api } = await newPerson(server, 'Other')
    expect((await api.refused('GET', path)).status).toBe(404)
    expect((await owner.refused('GET', `/api/sessions/${nobody()}/conversation`)).status).toBe(404)
    expect((await api.refused('GET', `/api/sessions/${session.id}/files`)).status).toBe(404)
  })
})
