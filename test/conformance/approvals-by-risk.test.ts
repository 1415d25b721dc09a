import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { usualDatabases } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import type { McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { newPerson, signIn, type Person } from './people.ts'
import type { Ask, User } from './shapes.ts'
import { approve, openAsk, startSession } from './work.ts'

const config = `[commands]
ship = "make ship"
[approvals]
critical_needs = 2
critical_reviewers = ["local:rita", "local:rolf"]
high_reviewers = ["local:rita"]
`

describe.each(usualDatabases)('approval by risk on %s', (database) => {
  let harness: McpHarness
  let agent: Api
  let rita: Person
  let rolf: Person
  beforeAll(async () => {
    harness = await openOperationsHarness({ database, config })
    agent = harness.server.api(harness.token)
    rita = await reviewer('local:rita')
    rolf = await reviewer('local:rolf')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Configured people exist from the start. */
  async function reviewer(known: string): Promise<Person> {
    const users = await harness.owner.list<User>('/api/users')
    const user = users.find(({ identities }) => identities.some(({ identity }) => identity === known))
    return signIn(harness.server, user?.id ?? '')
  }

  async function asked(riskLevel: string, settings?: Record<string, unknown>): Promise<Ask> {
    const place = await harness.place()
    if (settings) await place.policy(settings)
    const session = await startSession(agent, { workspaceRoot: place.path })
    return openAsk(agent, session, { riskLevel, subject: { kind: 'command', command: 'make ship', cwd: place.path } })
  }
  const answer = (api: Api, { id }: Ask, body: object = approve) => api.post<Ask>(`/api/asks/${id}/answer`, body)

  it('B4 a critical ask needs two people: the owner alone is not enough', async () => {
    const ask = await asked('critical')
    expect(ask).toMatchObject({ needed: 2, status: 'open' })
    expect(await answer(harness.owner, ask)).toMatchObject({ status: 'open', votes: [{}] })
    expect(await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, approve)).toMatchObject({
      status: 409,
      code: 'already_voted',
    })
    const done = await answer(rita.api, ask)
    expect(done).toMatchObject({ status: 'answered', answer: { outcome: 'approve' } })
    expect(done.votes).toHaveLength(2)
  })

  it('B4 two reviewers count as two people, without the owner', async () => {
    const ask = await asked('critical')
    await answer(rita.api, ask)
    expect(await answer(rolf.api, ask)).toMatchObject({ status: 'answered' })
  })

  it('B4 one rejection ends it, first or second', async () => {
    const first = await asked('critical')
    expect(await answer(rita.api, first, { outcome: 'reject', reason: 'no' })).toMatchObject({
      status: 'answered',
      answer: { outcome: 'reject', reason: 'no' },
    })
    const second = await asked('critical')
    await answer(harness.owner, second)
    expect(await answer(rolf.api, second, { outcome: 'reject' })).toMatchObject({ answer: { outcome: 'reject' } })
    expect((await harness.owner.refused('POST', `/api/asks/${second.id}/answer`, approve)).code).toBe(
      'already_answered',
    )
  })

  it('B4 a reviewer sees and answers what they may review', async () => {
    const [critical, high, low] = [await asked('critical'), await asked('high'), await asked('low')]
    const inbox = async (api: Api) =>
      (await api.get<{ asks: Ask[] }>('/api/asks?status=open&limit=100')).asks.map(({ id }) => id)
    expect(await inbox(rita.api)).toEqual(expect.arrayContaining([critical.id, high.id]))
    expect(await inbox(rita.api)).not.toContain(low.id)
    expect(await inbox(rolf.api)).toContain(critical.id)
    expect(await inbox(rolf.api)).not.toContain(high.id)
    expect(await inbox(harness.owner)).toEqual(expect.arrayContaining([critical.id, high.id, low.id]))
    expect(await rita.api.get(`/api/asks/${high.id}`)).toMatchObject({ id: high.id, needed: 1 })
    expect(await answer(rita.api, high)).toMatchObject({ status: 'answered' })
    for (const id of [high.id, low.id]) expect((await rolf.api.refused('GET', `/api/asks/${id}`)).status).toBe(404)
    expect((await rita.api.refused('POST', `/api/asks/${low.id}/answer`, approve)).status).toBe(404)
  })

  it('B4 R3 a stranger gets 404, and the agent never answers', async () => {
    const ask = await asked('critical')
    const sam = await newPerson(harness.server, 'Sam')
    expect((await sam.api.refused('GET', `/api/asks/${ask.id}`)).status).toBe(404)
    expect((await sam.api.refused('POST', `/api/asks/${ask.id}/answer`, approve)).status).toBe(404)
    expect((await agent.refused('POST', `/api/asks/${ask.id}/answer`, approve)).status).toBe(403)
    expect(await harness.ask(ask.id)).toMatchObject({ status: 'open', votes: [] })
  })

  it('B4 a reviewer of an ask may not act on the session', async () => {
    const ask = await asked('critical')
    for (const [method, path] of [
      ['DELETE', `/api/sessions/${ask.sessionId}`],
      ['POST', `/api/sessions/${ask.sessionId}/pause`],
      ['POST', `/api/sessions/${ask.sessionId}/prompt`],
    ] as const) {
      const refused = await rita.api.refused(
        method,
        path,
        method === 'POST' && path.endsWith('prompt') ? { text: 'x' } : {},
      )
      expect([403, 404]).toContain(refused.status)
    }
  })

  it('B4 a reviewer is notified of what they may review, and of nothing else', async () => {
    await using events = await openEvents(rita.api, { query: '?type=ask.*' })
    const low = await asked('low')
    const critical = await asked('critical')
    await events.first(({ type, data }) => type === 'ask.opened' && data['id'] === critical.id)
    expect(events.heard.map(({ data }) => data['id'])).not.toContain(low.id)
    await answer(harness.owner, critical, { outcome: 'reject' })
    await events.first(({ type, data }) => type === 'ask.answered' && data['id'] === critical.id)
  })

  it('B4 B8 R3 a reviewer who approved a change can’t undo it: only the owner can', async () => {
    await using mcp = await harness.connect()
    const input = { title: 'Ship it', file_path: 'a.txt', diff: 'x\n', risk_level: 'high' }
    const { ask, done } = await mcp.begin('ask_approval', input)
    await answer(rita.api, ask)
    expect(await done).toMatchObject({ status: 'approved' })
    await mcp.call('accept_diff', { request_id: ask.id })
    expect([403, 404]).toContain((await rita.api.refused('POST', `/api/asks/${ask.id}/undo`, {})).status)
    expect(await mcp.place.read('a.txt')).toBe('x\n')
    await harness.owner.post(`/api/asks/${ask.id}/undo`, {})
    expect(await mcp.place.read('a.txt')).toBeNull()
  })

  it('B4 R19 no policy answers what needs two people', async () => {
    const all = { enabled: true, commands: ['*'], tools: ['x'], risk_level_threshold: 'high' }
    expect(await asked('critical', all)).toMatchObject({ status: 'open', automatic: false })
    expect(await asked('high', all)).toMatchObject({ status: 'answered', automatic: true })
    const place = await harness.place()
    await place.policy(all)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const subject = { kind: 'command', command: 'make ship', cwd: place.path }
    expect(await openAsk(agent, session, { subject, needed: 2 })).toMatchObject({ status: 'open', automatic: false })
  })

  it('B4 an MCP agent is held until the second person approves', async () => {
    await using mcp = await harness.connect()
    const input = { title: 'Ship it', file_path: 'a.txt', diff: 'x\n', risk_level: 'critical' }
    const { ask, done } = await mcp.begin('ask_approval', input)
    await answer(harness.owner, ask)
    expect(await mcp.call('accept_diff', { request_id: ask.id })).toMatchObject({ error_code: 'not_approved' })
    expect(await mcp.place.read('a.txt')).toBeNull()
    await answer(rolf.api, ask)
    expect(await done).toMatchObject({ status: 'approved' })
    expect(await mcp.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
  })

  it('B4 one vote survives kill -9; the second completes it', async () => {
    const ask = await asked('critical')
    await answer(harness.owner, ask)
    await harness.crash()
    const again = harness.server.api(rita.token)
    expect(await answer(again, ask)).toMatchObject({ status: 'answered' })
    agent = harness.server.api(harness.token)
    rita = { ...rita, api: again }
    rolf = { ...rolf, api: harness.server.api(rolf.token) }
  })
})

describe('approval by risk, with other settings', () => {
  it('B4 R19 high_needs = 2: not even a policy for high risk answers those', async () => {
    await using harness = await openOperationsHarness({
      config: '[commands]\nship = "make ship"\n[approvals]\nhigh_needs = 2\n',
    })
    const agent = harness.server.api(harness.token)
    const place = await harness.place()
    await place.policy({ enabled: true, commands: ['*'], risk_level_threshold: 'high' })
    const session = await startSession(agent, { workspaceRoot: place.path })
    const ask = (riskLevel: string) =>
      openAsk(agent, session, { riskLevel, subject: { kind: 'command', command: 'make ship', cwd: place.path } })
    expect(await ask('low')).toMatchObject({ status: 'answered', automatic: true })
    expect(await ask('high')).toMatchObject({ status: 'open', needed: 2 })
    // A prompt has one answer, however risky.
    const prompt = { kind: 'prompt', text: 'Shall I continue?', promptType: 'continuation' }
    expect(await openAsk(agent, session, { riskLevel: 'high', subject: prompt })).toMatchObject({ needed: 1 })
  })

  it('B4 a reviewer who is not yet a person becomes one at startup, as authorised people do', async () => {
    const config = '[approvals]\ncritical_needs = 2\ncritical_reviewers = ["local:rita"]\n'
    await using harness = await openOperationsHarness({ config })
    const users = await harness.owner.list<User>('/api/users')
    const rita = users.find(({ identities }) => identities.some(({ identity }) => identity === 'local:rita'))
    expect(rita).toBeDefined()
  })
})
