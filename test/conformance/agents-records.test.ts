import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newRepo, openAgentsHarness, type AgentSession, type AgentsHarness } from './agents-harness.ts'
import { lookInto } from './look.ts'
import { newPerson, type Person } from './people.ts'
import type { Message } from './shapes.ts'
import { newToken } from './work.ts'

type Found = { messages: (Message & { snippet: string })[] }

describe.each(usualDatabases)('agents’ records on %s', (database) => {
  let harness: AgentsHarness
  let ann: Person
  beforeAll(async () => {
    harness = await openAgentsHarness({ database })
    ann = await newPerson(harness.server, 'Ann')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const search = async (q: string, more = '', api = harness.api) =>
    (await api.get<Found>(`/api/messages?q=${encodeURIComponent(q)}${more}`)).messages
  const textsOf = (messages: Found['messages']) => messages.map(({ content }) => content['text'])

  it('A7 search finds complete messages with all the words, newest first, with the place', async () => {
    const session = await harness.start()
    await harness.say(session, `/say ${'before '.repeat(40)}the quick Zebra jumps over ${'after '.repeat(40)}`)
    await harness.say(session, '/say a zebra, quick as ever')
    const found = await search('quick ZEBRA')
    expect(found.filter(({ role }) => role === 'agent').map(({ sessionId }) => sessionId)).toEqual([
      session.id,
      session.id,
    ])
    expect(textsOf(found.filter(({ role }) => role === 'agent'))[0]).toBe('a zebra, quick as ever')
    for (const { snippet } of found) {
      expect(snippet).toMatch(/zebra/i)
      expect(snippet.length).toBeLessThan(250)
    }
    expect(await search('zebra unicorn')).toEqual([])
    expect(await search('zebra', '&limit=1')).toHaveLength(1)
    const other = await harness.start()
    await harness.say(other, '/say another zebra')
    expect(textsOf(await search('zebra', `&session=${other.id}`))).toEqual(['another zebra', '/say another zebra'])
  })

  it('A7 search words are plain words, never the engine’s query language', async () => {
    const session = await harness.start()
    await harness.say(session, '/say alpha-beta OR gamma* "delta" near(epsilon) it\'s 100% a_b C++')
    const finds = async (q: string) => (await search(q, `&session=${session.id}`)).length > 0
    for (const q of ['alpha-beta', 'gamma*', '"delta"', 'near(epsilon)', "it's", '100%', 'alpha gamma', 'C++'])
      expect([q, await finds(q)]).toEqual([q, true])
    for (const q of [
      'alpha OR missing',
      'missing*',
      'NOT missing',
      'alpha | missing',
      'alp*',
      'text:alpha missing',
      '%',
    ])
      expect([q, await finds(q)]).toEqual([q, false])
    for (const q of ["'; drop table messages; --", '"', '(((', '\\', ':*', '&', '!', '<->', '* *'])
      expect([q, (await harness.api.send('GET', `/api/messages?q=${encodeURIComponent(q)}`)).status]).toEqual([q, 200])
    expect((await harness.api.refused('GET', '/api/messages?q=')).status).toBe(400)
  })

  it('A7 finds tools by name, thoughts, and words in every script', async () => {
    const session = await harness.start()
    await harness.say(session, '/repeat 1\n/think Überlegung über Straßen\n/say Привет мир')
    const finds = async (q: string) => (await search(q, `&session=${session.id}`)).map(({ content }) => content['type'])
    expect(await finds('same file again')).toContain('tool')
    expect(await finds('überlegung')).toContain('thought')
    expect(await finds('привет')).toContain('text')
  })

  it('A7 streaming text is found once it is complete', async () => {
    const session = await harness.start()
    const turn = await harness.prompt(session, '/say xylophone\n/stall forever')
    const agents = async () =>
      (await search('xylophone', `&session=${session.id}`)).filter(({ role }) => role === 'agent').length
    const stored = async () =>
      (await harness.api.get<Message[]>(`/api/sessions/${session.id}/messages`)).some(
        ({ role, content }) => role === 'agent' && content['partial'] === true,
      )
    await until(stored)
    expect(await agents()).toBe(0)
    await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
    await harness.settled(turn)
    expect(await agents()).toBe(1)
  })

  it('R3 people find only what they may see', async () => {
    const session = await harness.start()
    await harness.say(session, '/say quokka')
    expect((await search('quokka')).length).toBeGreaterThan(0)
    expect(await search('quokka', '', ann.api)).toEqual([])
    expect(await search('quokka', `&session=${session.id}`, ann.api)).toEqual([])
    await harness.api.put(`/api/sessions/${session.id}/delegates/${ann.id}`)
    expect((await search('quokka', '', ann.api)).length).toBeGreaterThan(0)
  })

  it('A7 exports a session as Markdown and as JSON, with what was asked and answered', async () => {
    const session = await harness.start({ prompt: '/think Hm.\n/plan look; change\n/write a.txt ```\n/say Done.' })
    await harness.answer(await harness.openAsk(session), { outcome: 'approve' })
    await harness.saying(session, 'Done.')
    await until(async () => (await harness.detail(session)).agentState?.turn === null)
    const path = `/api/sessions/${session.id}/export`
    const markdown = await harness.api.send('GET', `${path}?format=markdown`)
    expect(markdown.headers['content-type']).toMatch(/^text\/markdown/)
    expect(markdown.headers['content-disposition']).toMatch(/attachment; filename="session-\w+\.md"/)
    for (const words of [session.id, session.workspaceRoot, '> Hm.', '- [x] look', 'Write a.txt', 'Done.', 'approve'])
      expect(markdown.text).toContain(words)
    expect((await harness.api.send('GET', path)).text).toBe(markdown.text)
    const json = await harness.api.send('GET', `${path}?format=json`)
    const { messages } = await harness.detail(session)
    expect(JSON.parse(json.text)).toMatchObject({
      id: session.id,
      messages,
      asks: [{ answer: { outcome: 'approve' } }],
    })
    expect((await harness.api.refused('GET', `${path}?format=pdf`)).status).toBe(400)
    expect((await ann.api.refused('GET', path)).status).toBe(404)
  })

  it('A7 exports every ask, however many there were', async () => {
    const session = await harness.start({ prompt: '/write a.txt b' })
    const { id } = await harness.openAsk(session)
    await harness.answer({ id }, { outcome: 'approve' })
    await using look = await lookInto(harness.server)
    const [ask = {}] = await look.rows<Record<string, unknown>>('select * from asks where id = ?', id)
    const columns = Object.keys(ask)
    const rows = Array.from({ length: 1200 }, () => ({ ...ask, id: randomUUID() }))
    for (let at = 0; at < rows.length; at += 300) {
      const some = rows.slice(at, at + 300)
      const marks = `(${columns.map(() => '?').join(', ')})`
      const values = some.map(() => marks).join(', ')
      await look.change(
        `insert into asks (${columns.join(', ')}) values ${values}`,
        ...some.flatMap((row) => Object.values(row)),
      )
    }
    const { text } = await harness.api.send('GET', `/api/sessions/${session.id}/export?format=json`)
    const { asks } = JSON.parse(text) as { asks: { id: string }[] }
    expect(new Set(asks.map((one) => one.id))).toEqual(new Set([id, ...rows.map((row) => row.id)]))
    expect(asks).toHaveLength(rows.length + 1)
  })
})

describe('permissions on agents', () => {
  let harness: AgentsHarness
  let session: AgentSession
  let itemId: string
  let owner: Person
  let admin: Person
  let stranger: Person
  beforeAll(async () => {
    harness = await openAgentsHarness()
    const repo = await newRepo(harness)
    owner = await newPerson(harness.server, 'Olga')
    admin = await newPerson(harness.server, 'Ada')
    stranger = await newPerson(harness.server, 'Sid')
    await harness.api.post(`/api/users/${admin.id}/roles`, { role: 'admin' })
    session = await owner.api.post<AgentSession>('/api/sessions', { repoId: repo.id, prompt: '/stall forever' })
    await until(async () => (await harness.detail(session)).agentState?.turn)
    itemId = (await owner.api.post<{ id: string }>(`/api/sessions/${session.id}/prompt`, { text: '/say x' })).id
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const acts = (): [string, string, unknown][] => {
    const path = `/api/sessions/${session.id}`
    return [
      ['POST', `${path}/prompt`, { text: 'do it' }],
      ['DELETE', `${path}/queue/${itemId}`, undefined],
      ['POST', `${path}/turn/cancel`, {}],
      ['POST', `${path}/mode`, { modeId: 'quick' }],
      ['POST', `${path}/options`, { optionId: 'speed', value: 'fast' }],
      ['POST', `${path}/restart`, {}],
      ['POST', `${path}/recover`, {}],
      ['POST', `${path}/pause`, {}],
      ['POST', `${path}/complete`, {}],
      ['DELETE', path, undefined],
    ]
  }
  const looks = () =>
    ['', '/queue', '/messages', '/stderr', '/diagnosis', '/export'].map((end) => `/api/sessions/${session.id}${end}`)

  const unharmed = async () => {
    const { status, queue, agentState } = await harness.detail(session)
    expect([status, queue.length, agentState?.turn?.cancelled, agentState?.modes?.currentModeId]).toEqual([
      'active',
      2,
      false,
      'careful',
    ])
    expect(harness.running(session)).not.toEqual([])
  }

  it('R3 a stranger can neither see nor steer another’s agent', async () => {
    for (const [method, path, body] of acts())
      expect([path, (await stranger.api.refused(method, path, body)).status]).toEqual([path, 404])
    for (const path of looks()) expect([path, (await stranger.api.refused('GET', path)).status]).toEqual([path, 404])
    await unharmed()
  })

  it('R3 a read-only user is refused', async () => {
    for (const [method, path, body] of acts())
      expect([path, (await admin.api.refused(method, path, body)).code]).toEqual([path, 'not_owner'])
    for (const path of looks()) expect([path, (await admin.api.send('GET', path)).status]).toEqual([path, 200])
    await unharmed()
  })

  it('R3 a read token changes nothing', async () => {
    const reader = harness.server.api((await newToken(owner.api, { scope: 'read' })).token)
    for (const [method, path, body] of acts())
      expect([path, (await reader.refused(method, path, body)).status]).toEqual([path, 403])
    await unharmed()
  })

  it('R3 an agent’s token can’t steer agents, answer asks or see stderr', async () => {
    const agent = harness.server.api((await newToken(owner.api, { scope: 'agent' })).token)
    for (const [method, path, body] of acts())
      expect([403, 404], path).toContain((await agent.refused(method, path, body)).status)
    expect([403, 404]).toContain((await agent.refused('GET', `/api/sessions/${session.id}/stderr`)).status)
    expect((await agent.refused('GET', '/api/agents')).status).toBe(403)
    await unharmed()
  })

  it('R3 only its owner answers its asks', async () => {
    const asking = await owner.api.post<AgentSession>('/api/sessions', {
      repoId: session.repoId,
      prompt: '/permit no-allow',
    })
    const ask = await harness.openAsk(asking)
    const path = `/api/asks/${ask.id}/answer`
    expect((await stranger.api.refused('POST', path, { outcome: 'reject' })).status).toBe(404)
    expect((await admin.api.refused('POST', path, { outcome: 'reject' })).code).toBe('not_owner')
    expect(await owner.api.post(path, { outcome: 'reject' })).toMatchObject({ answeredBy: `user:${owner.id}` })
  })

  it('R3 a delegate can steer it', async () => {
    const lent = await owner.api.post<AgentSession>('/api/sessions', { repoId: session.repoId })
    await owner.api.put(`/api/sessions/${lent.id}/delegates/${stranger.id}`)
    const item = await stranger.api.post<{ by: string }>(`/api/sessions/${lent.id}/prompt`, { text: '/say Thanks.' })
    expect(item.by).toBe(`user:${stranger.id}`)
    await harness.saying(lent, 'Thanks.')
  })

  it('X5 only an admin can stop the server', async () => {
    const agent = harness.server.api((await newToken(harness.api, { scope: 'agent' })).token)
    const reader = harness.server.api((await newToken(harness.api, { scope: 'read' })).token)
    for (const api of [owner.api, stranger.api, agent, reader])
      expect((await api.refused('POST', '/api/stop', { agents: 'end' })).status).toBe(403)
    await unharmed()
  })
})
