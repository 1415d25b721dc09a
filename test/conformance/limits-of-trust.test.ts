import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { me, newMachineUser, newPerson } from './people.ts'
import type { Ask, Session } from './shapes.ts'
import { newAgent, newToken, openAsk, roomy, startSession } from './work.ts'

const question = { kind: 'question', question: 'Which?', options: [], freeText: true }

describe.each(usualDatabases)('the limits of trust on %s', (database) => {
  let server: Server
  let owner: Api
  let agent: Api
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    agent = await newAgent(server)
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('R3 an agent can’t choose who approves its actions; a question may name who answers, and they are notified', async () => {
    const bea = await newPerson(server, 'Bea')
    const session = await startSession(agent)
    const answerers = [bea.id]
    const refused = await agent.refused('POST', `/api/sessions/${session.id}/asks`, {
      title: 'May I?',
      subject: { kind: 'command', command: 'make', cwd: '/' },
      answerers,
    })
    expect([refused.status, refused.code]).toEqual([400, 'answerers_do_not_fit'])
    await using reader = await openEvents(bea.api)
    const ask = await openAsk(agent, session, { subject: question, answerers })
    const heard = await reader.first((event) => event.type === 'ask.opened')
    expect(heard.data['id']).toBe(ask.id)
    const answered = await bea.api.post<Ask>(`/api/asks/${ask.id}/answer`, { outcome: 'reply', value: 'This one' })
    expect(answered.answeredBy).toBe(`user:${bea.id}`)
  })

  it('R3 asks for administration go to admins, not to the owner of the session', async () => {
    const ann = await newMachineUser(server, 'Ann')
    const session = await startSession(ann.api)
    const subject = { kind: 'packages', apt: ['jq'], npm: [], reason: 'to read JSON' }
    const ask = await openAsk(ann.api, session, { subject })
    const refused = await ann.api.refused('POST', `/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    expect([refused.status, refused.code]).toEqual([403, 'needs_role'])
    expect((await owner.post<Ask>(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })).status).toBe('answered')
  })

  it('R3 a delegate can’t delegate further, and access ends with the delegation', async () => {
    const [bob, eve] = [await newPerson(server, 'Bob'), await newPerson(server, 'Eve')]
    const session = await startSession(owner)
    await owner.put(`/api/sessions/${session.id}/delegates/${bob.id}`)
    const on = await bob.api.refused('PUT', `/api/sessions/${session.id}/delegates/${eve.id}`)
    const token = await bob.api.refused('POST', '/api/tokens', { name: 't', scope: 'agent', sessionId: session.id })
    expect([on.code, token.code]).toEqual(['not_owner', 'not_owner'])
    await bob.api.delete(`/api/sessions/${session.id}/delegates/${bob.id}`)
    expect((await bob.api.refused('GET', `/api/sessions/${session.id}`)).status).toBe(404)
  })

  it('C2 an admin can’t rename an owner, or change their identities', async () => {
    const admin = await newPerson(server, 'Ada')
    await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin' })
    const id = await me(owner)
    const refusals = [
      await admin.api.refused('PATCH', `/api/users/${id}`, { displayName: 'Nobody' }),
      await admin.api.refused('POST', `/api/users/${id}/identities`, { identity: 'slack:UEVIL' }),
    ]
    expect(refusals.map(({ status, code }) => [status, code])).toEqual([
      [403, 'needs_role'],
      [403, 'needs_role'],
    ])
  })

  it('X4 a session has one successor at a time; the old session’s agent speaks for the new one', async () => {
    const session = await startSession(agent)
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => owner.send('POST', `/api/sessions/${session.id}/restart`, { body: {} })),
    )
    const made = tries.filter(({ status }) => status === 201).map(({ body }) => body as Session)
    expect(made).toHaveLength(1)
    expect(tries.filter(({ status }) => status === 409)).toHaveLength(4)
    expect((await agent.get<Session>(`/api/sessions/${made[0]?.id}`)).restartOf).toBe(session.id)
  })

  it('B11 a stream that is still catching up ends with its token', async () => {
    const { id, token } = await newToken(owner, { name: 'short' })
    const session = await startSession(agent)
    const content = { type: 'text', text: 'x' }
    for (let n = 0; n < 30; n += 1) await agent.post(`/api/sessions/${session.id}/messages`, { role: 'agent', content })
    await using reader = await openEvents(server.api(token), { query: '?after=0.0' })
    reader.stall()
    await owner.delete(`/api/tokens/${id}`)
    reader.goOn()
    await reader.ended
    expect((await server.api(token).send('GET', '/api/events')).status).toBe(401)
  })

  it('B11 a cursor past the end of the log is refused with the reason', async () => {
    const refused = await owner.refused('GET', '/api/events?after=zzzzz.zzzzz')
    expect([refused.status, refused.code]).toEqual([400, 'bad_cursor'])
  })

  it('B11 the list of sessions stays small: long prompts are shortened, metadata is limited', async () => {
    const session = await startSession(owner, { prompt: 'p'.repeat(500_000) })
    const { sessions } = await owner.get<{ sessions: Session[] }>('/api/sessions?limit=1')
    expect(sessions[0]?.id).toBe(session.id)
    expect(sessions[0]?.prompt?.length).toBeLessThan(2000)
    expect((await owner.get<Session>(`/api/sessions/${session.id}`)).prompt?.length).toBe(500_000)
    const large = { protocolMode: 'mcp', workspaceRoot: '/x', metadata: { text: 'm'.repeat(100_000) } }
    expect((await owner.refused('POST', '/api/sessions', large)).status).toBe(400)
  })
})
