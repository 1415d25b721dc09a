import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import { newMachineUser, newPerson, signIn, type Person } from './people.ts'
import type { Ask, Session, User } from './shapes.ts'
import { approve, newToken, openAsk, roomy, startSession } from './work.ts'

type Item = {
  kind: 'ask' | 'alert'
  key: string
  urgency: string
  since: string
  mine: boolean
  ask?: Ask & { title: string; subject: Record<string, string>; description: string | null }
  clipped?: boolean
  changes?: { added: number; removed: number; files: { path: string; change: string }[] } | null
  screen?: string | null
  alert?: { id: string; status: string }
  session: Record<string, unknown> | null
}
type Inbox = { items: Item[]; total: number }

const config = `${roomy}
[approvals]
critical_needs = 2
critical_reviewers = ["local:rita"]
`

const diff = '--- a/src/lamp.ts\n+++ b/src/lamp.ts\n@@ -1,2 +1,3 @@\n one\n-two\n+deux\n+trois\n'

describe.each(databases)('the inbox on %s', (database) => {
  let server: Server
  let owner: Api
  beforeAll(async () => {
    server = await startServer({ database, config })
    owner = server.api()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const inboxOf = (api: Api) => api.get<Inbox>('/api/inbox')
  /** A person with their own agent. */
  async function newOperator(name: string): Promise<Person & { agent: Api }> {
    const person = await newMachineUser(server, name)
    const { token } = await newToken(person.api, { name: 'an agent', scope: 'agent' })
    return { ...person, agent: server.api(token) }
  }
  async function raise(session: Session, status: string, at: string): Promise<string> {
    await using look = await lookInto(server)
    const id = randomUUID()
    await look.change(
      `insert into stall_alerts (id, session_id, cause, last_activity_at, idle_seconds, nudge_count, status, created_at)
         values (?, ?, 'silent', ?, 60, 1, ?, ?)`,
      id,
      session.id,
      at,
      status,
      at,
    )
    return id
  }

  it('B1 is empty if nothing waits, and only for people', async () => {
    const { api, agent } = await newOperator('Ada')
    expect(await inboxOf(api)).toEqual({ items: [], total: 0 })
    expect(await agent.refused('GET', '/api/inbox')).toMatchObject({ status: 403, code: 'agents_may_not' })
    expect(await server.tcp().refused('GET', '/api/inbox')).toMatchObject({ status: 401 })
  })

  it('B1 has asks and alerts, most urgent first: harm, escalations, high risk, what expires soon, what waits longest', async () => {
    const { api, agent } = await newOperator('Bea')
    const session = () => startSession(agent)
    const first = await openAsk(agent, await session(), { title: 'first' })
    const second = await openAsk(agent, await session(), { title: 'second' })
    const expiring = await openAsk(agent, await session(), { title: 'expiring', timeoutSeconds: 60 })
    const high = await openAsk(agent, await session(), { title: 'high', riskLevel: 'high' })
    const critical = await openAsk(agent, await session(), { title: 'critical', riskLevel: 'critical' })
    const escalated = await raise(await session(), 'escalated', '2026-01-01T00:00:00.000Z')
    const pending = await raise(await session(), 'pending', '2026-01-01T00:00:00.000Z')
    const dangerous = await openAsk(agent, await session(), {
      title: 'dangerous',
      subject: { kind: 'terminal_prompt', promptText: 'Delete all?', promptType: 'yes_no', dangerous: true },
    })
    await raise(await session(), 'dismissed', '2026-01-01T00:00:00.000Z')
    const { items, total } = await inboxOf(api)
    expect(items.map(({ key, urgency }) => [key, urgency])).toEqual([
      [`ask:${critical.id}`, 'critical'],
      [`ask:${dangerous.id}`, 'critical'],
      [`alert:${escalated}`, 'high'],
      [`ask:${high.id}`, 'high'],
      [`ask:${expiring.id}`, 'high'],
      [`alert:${pending}`, 'normal'],
      [`ask:${first.id}`, 'normal'],
      [`ask:${second.id}`, 'normal'],
    ])
    expect(total).toBe(8)
    expect(items.every(({ mine }) => mine)).toBe(true)
    expect(items.find(({ kind }) => kind === 'alert')).toMatchObject({
      since: '2026-01-01T00:00:00.000Z',
      alert: { id: escalated, status: 'escalated' },
      session: { ownerName: 'Bea' },
    })
    for (const { id } of [first, second]) await api.post(`/api/asks/${id}/answer`, approve)
    expect((await inboxOf(api)).total).toBe(6)
  })

  it('B1 an item says who asks, for whom, where and in which session', async () => {
    const { id, api, agent } = await newOperator('Cid')
    const session = await startSession(agent, { prompt: '\n Mend the lamp \nand the door', agent: 'some-agent' })
    const ask = await openAsk(agent, session)
    const { items } = await inboxOf(api)
    expect(items).toMatchObject([
      {
        kind: 'ask',
        key: `ask:${ask.id}`,
        since: ask.createdAt,
        clipped: false,
        changes: null,
        screen: null,
        ask: { id: ask.id, title: 'May I?', subject: { kind: 'command', command: 'make all' } },
      },
    ])
    expect(items[0]?.session).toEqual({
      id: session.id,
      title: 'Mend the lamp',
      agent: 'some-agent',
      repoName: null,
      workspaceRoot: '/srv/place',
      protocolMode: 'mcp',
      status: 'active',
      ownerUserId: id,
      ownerName: 'Cid',
    })
  })

  it('B1 a diff says how many lines it changes in which files, and is shortened if it is long', async () => {
    const { api, agent } = await newOperator('Dov')
    const long = `${diff}@@ -9 +10,400 @@\n-x\n${'+a line that is long enough\n'.repeat(400)}`
    const subject = { kind: 'diff', filePath: 'src/lamp.ts', diff: long }
    const ask = await openAsk(agent, await startSession(agent), { subject, description: 'd'.repeat(5000) })
    const tool = {
      toolCallId: 'one',
      content: [
        { type: 'diff', path: '/srv/place/new.txt', oldText: null, newText: 'a\nb\n' },
        { type: 'diff', path: '/elsewhere/old.txt', oldText: 'a\nb\n', newText: 'a\nc\n' },
      ],
    }
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
    await openAsk(agent, await startSession(agent), { subject: { kind: 'permission', toolCall: tool, options } })
    // A change outside the workspace is judged riskier, so it comes first.
    const items = (await inboxOf(api)).items.toReversed()
    expect(items.map(({ changes, clipped }) => ({ changes, clipped }))).toEqual([
      {
        clipped: true,
        changes: {
          added: 402,
          removed: 2,
          files: [{ path: 'src/lamp.ts', change: 'modified', added: 402, removed: 2 }],
        },
      },
      {
        clipped: false,
        changes: {
          added: 3,
          removed: 1,
          files: [
            { path: 'new.txt', change: 'added', added: 2, removed: 0 },
            { path: '/elsewhere/old.txt', change: 'modified', added: 1, removed: 1 },
          ],
        },
      },
    ])
    expect(items[0]?.ask?.subject['diff']).toBe(long.slice(0, 1000))
    expect(items[0]?.ask?.description).toHaveLength(1000)
    expect(await api.get(`/api/asks/${ask.id}`)).toMatchObject({ subject: { diff: long } })
  })

  it('R3 shows what the viewer may see, and says what they may answer', async () => {
    const { id, api, agent } = await newOperator('Eva')
    const friend = await newPerson(server, 'Friend')
    const stranger = await newPerson(server, 'Stranger')
    const session = await startSession(agent, { prompt: 'quiet words' })
    const ask = await openAsk(agent, session)
    const own = (inbox: Inbox) => inbox.items.filter(({ key }) => key === `ask:${ask.id}`)
    expect(own(await inboxOf(stranger.api))).toEqual([])
    expect(own(await inboxOf(friend.api))).toEqual([])
    // The server's owner sees it, but may not answer for others.
    expect(own(await inboxOf(owner))).toMatchObject([{ mine: false, session: { ownerUserId: id } }])
    await api.put(`/api/sessions/${session.id}/delegates/${friend.id}`)
    expect(own(await inboxOf(friend.api))).toMatchObject([{ mine: true }])
    const { token } = await newToken(api, { scope: 'read' })
    expect(own(await inboxOf(server.api(token)))).toMatchObject([{ mine: false }])
  })

  it('B4 after your vote it waits for others; a reviewer learns where, but not what was said in the session', async () => {
    const { api, agent } = await newOperator('Fay')
    const users = await owner.list<User>('/api/users')
    const rita = await signIn(
      server,
      users.find(({ identities }) => identities.some(({ identity }) => identity === 'local:rita'))?.id ?? '',
    )
    const session = await startSession(agent, { prompt: 'quiet words' })
    const ask = await openAsk(agent, session, { riskLevel: 'critical' })
    const mine = async (who: Api) => (await inboxOf(who)).items.find(({ key }) => key === `ask:${ask.id}`)
    expect(await mine(rita.api)).toMatchObject({ mine: true, session: { title: 'place', ownerName: 'Fay' } })
    expect(JSON.stringify(await mine(rita.api))).not.toContain('quiet')
    expect(await mine(api)).toMatchObject({ mine: true, session: { title: 'quiet words' } })
    await api.post(`/api/asks/${ask.id}/answer`, approve)
    expect(await mine(api)).toMatchObject({ mine: false, ask: { votes: [{}] } })
    expect(await mine(rita.api)).toMatchObject({ mine: true })
  })

  it('B1 shows the 200 most urgent items', async () => {
    const { api, agent } = await newOperator('Gil')
    const session = await startSession(agent)
    for (let n = 0; n < 210; n += 1) await openAsk(agent, session, { title: `ask ${n}` })
    const urgent = await openAsk(agent, session, { title: 'urgent', riskLevel: 'high' })
    const { items, total } = await inboxOf(api)
    expect([items.length, total]).toEqual([200, 211])
    expect(items[0]?.key).toBe(`ask:${urgent.id}`)
    expect(items.at(-1)?.ask?.title).toBe('ask 198')
  })

  it('B1 every person can read people’s names, and only their names', async () => {
    const { id, api, agent } = await newOperator('Hal')
    const gone = await newMachineUser(server, 'Gone')
    await owner.delete(`/api/users/${gone.id}`)
    const { people } = await api.get<{ people: Record<string, unknown>[] }>('/api/names')
    expect(people).toContainEqual({ id, displayName: 'Hal' })
    expect(people).toContainEqual({ id: gone.id, displayName: 'Gone' })
    expect(await agent.refused('GET', '/api/names')).toMatchObject({ status: 403 })
  })
})
