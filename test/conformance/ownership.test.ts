import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { lookInto } from './look.ts'
import { grantMachine, me, newMachineUser, newPerson, signIn, type Person } from './people.ts'
import type { Ask, Session, SessionDetail, SessionPage, User } from './shapes.ts'
import { approve, command, newAgent, newToken, nobody, openAsk, roomy, startSession } from './work.ts'

describe.each(databases)('owners and actors on %s', (database) => {
  let server: Server
  let owner: Api
  let ann: Person
  let admin: Person
  let stranger: Person
  beforeAll(async () => {
    server = await startServer({ database, config: roomy })
    owner = server.api()
    ann = await newMachineUser(server, 'Ann')
    admin = await newPerson(server, 'Ada')
    stranger = await newPerson(server, 'Sid')
    await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin' })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  /** Everything an operator can do to a session and its asks. */
  const acts = (session: Session, ask: Ask): [string, string, unknown][] => [
    ['POST', `/api/asks/${ask.id}/answer`, approve],
    ['POST', `/api/asks/${ask.id}/cancel`, {}],
    ['POST', `/api/sessions/${session.id}/asks`, { title: 'x', subject: command }],
    ['POST', `/api/sessions/${session.id}/messages`, { role: 'user', content: { type: 'text', text: 'hi' } }],
    ['POST', `/api/sessions/${session.id}/heartbeat`, {}],
    ['PUT', `/api/sessions/${session.id}/delegates/${stranger.id}`, undefined],
    ['DELETE', `/api/sessions/${session.id}/delegates/${ann.id}`, undefined],
    ['POST', `/api/sessions/${session.id}/pause`, {}],
    ['POST', `/api/sessions/${session.id}/resume`, {}],
    ['POST', `/api/sessions/${session.id}/recover`, {}],
    ['POST', `/api/sessions/${session.id}/complete`, {}],
    ['POST', `/api/sessions/${session.id}/terminate`, {}],
    ['DELETE', `/api/sessions/${session.id}`, undefined],
  ]

  it('R2 the owner is the person who starts the session; for an agent, the person of its token', async () => {
    expect((await startSession(ann.api)).ownerUserId).toBe(ann.id)
    const { token } = await newToken(ann.api, { scope: 'agent' })
    expect((await startSession(server.api(token))).ownerUserId).toBe(ann.id)
    expect((await startSession(owner)).ownerUserId).toBe(await me(owner))
  })

  it('R2 nobody can start a session on someone else’s behalf', async () => {
    const body = { protocolMode: 'mcp', workspaceRoot: '/work', ownerUserId: ann.id }
    expect((await owner.refused('POST', '/api/sessions', body)).status).toBe(400)
  })

  it('R2 the owner of a session never changes, not even by SQL', async () => {
    const session = await startSession(ann.api)
    await using look = await lookInto(server)
    const change = look.change('update sessions set owner_user_id = ? where id = ?', admin.id, session.id)
    await expect(change).rejects.toThrow(/never change/)
    expect((await ann.api.get<Session>(`/api/sessions/${session.id}`)).ownerUserId).toBe(ann.id)
  })

  it('R3 the owner acts on their session and answers its asks', async () => {
    const session = await startSession(ann.api)
    const ask = await openAsk(ann.api, session)
    const answered = await ann.api.post<Ask>(`/api/asks/${ask.id}/answer`, { outcome: 'reject', reason: 'not today' })
    expect(answered).toMatchObject({
      status: 'answered',
      answeredBy: `user:${ann.id}`,
      answer: { reason: 'not today' },
    })
    expect(await ann.api.post(`/api/sessions/${session.id}/pause`)).toMatchObject({ status: 'paused' })
  })

  it('R3 someone who may read the session but does not own it is told so, and nothing changes', async () => {
    const session = await startSession(ann.api)
    const ask = await openAsk(ann.api, session)
    const before = await ann.api.get(`/api/sessions/${session.id}`)
    expect(await admin.api.get(`/api/sessions/${session.id}`)).toEqual(before)
    for (const [method, path, body] of acts(session, ask)) {
      const refusal = await admin.api.refused(method, path, body)
      expect([method, path, refusal.status, refusal.code]).toEqual([method, path, 403, 'not_owner'])
    }
    expect(await ann.api.get(`/api/sessions/${session.id}`)).toEqual(before)
    expect(await ann.api.get(`/api/asks/${ask.id}`)).toEqual(ask)
  })

  it('R3 a member of the session’s group can read it, and is told who may act', async () => {
    const session = await startSession(ann.api)
    await using look = await lookInto(server)
    const group = nobody()
    const at = session.createdAt
    await look.change(
      'insert into agent_groups (id, name, folder, created_at) values (?, ?, ?, ?)',
      group,
      'G',
      group,
      at,
    )
    await look.change('update sessions set agent_group_id = ? where id = ?', group, session.id)
    const member = await newPerson(server, 'Mel')
    await member.api.refused('GET', `/api/sessions/${session.id}`)
    await owner.put(`/api/agent-groups/${group}/members/${member.id}`)
    expect(await member.api.get(`/api/sessions/${session.id}`)).toMatchObject({ id: session.id })
    expect(await member.api.refused('POST', `/api/sessions/${session.id}/pause`, {})).toMatchObject({
      code: 'not_owner',
    })
    await owner.delete(`/api/agent-groups/${group}/members/${member.id}`)
    expect((await member.api.refused('GET', `/api/sessions/${session.id}`)).status).toBe(404)
  })

  it('R3 a stranger gets the same response as for a session that does not exist', async () => {
    const session = await startSession(ann.api)
    const ask = await openAsk(ann.api, session)
    const reads: [string, string, unknown][] = [
      ['GET', `/api/sessions/${session.id}`, undefined],
      ['GET', `/api/sessions/${session.id}/messages`, undefined],
      ['GET', `/api/asks/${ask.id}`, undefined],
      ['POST', `/api/sessions/${session.id}/restart`, {}],
    ]
    for (const [method, path, body] of [...reads, ...acts(session, ask)]) {
      const refusal = await stranger.api.refused(method, path, body)
      const [missing, other] = [nobody(), nobody()]
      const elsewhere = path.replace(session.id, missing).replace(ask.id, other)
      const none = await stranger.api.refused(method, elsewhere, body)
      expect([method, path, refusal.status]).toEqual([method, path, 404])
      expect(refusal.code).toBe(none.code)
      expect(refusal.message.replace(session.id, missing).replace(ask.id, other)).toBe(none.message)
    }
    const { sessions } = await stranger.api.get<SessionPage>('/api/sessions?limit=100')
    expect(sessions).toEqual([])
    expect(await stranger.api.get('/api/asks')).toMatchObject({ asks: [] })
    expect(await ann.api.get(`/api/asks/${ask.id}`)).toEqual(ask)
  })

  it('R3 a stranger’s attempt is in the log', async () => {
    const session = await startSession(ann.api)
    const ask = await openAsk(ann.api, session)
    const curious = await newPerson(server, 'Cuthbert')
    await curious.api.refused('POST', `/api/asks/${ask.id}/answer`, approve)
    const entry = () =>
      server
        .log()
        .split('\n')
        .find((line) => line.includes(curious.id) && line.includes('ask.answer'))
    expect(await until(entry, { what: 'a log entry' })).toMatch(/not_found|refused/)
  })

  it('R3 the owner delegates, the delegate acts, and the owner takes it back', async () => {
    const session = await startSession(ann.api)
    const path = `/api/sessions/${session.id}`
    const delegated = await ann.api.put<SessionDetail>(`${path}/delegates/${stranger.id}`)
    expect(delegated.delegates).toEqual([stranger.id])
    expect(await stranger.api.get(path)).toMatchObject({ id: session.id })
    const ask = await openAsk(ann.api, session)
    expect(await stranger.api.post(`/api/asks/${ask.id}/answer`, approve)).toMatchObject({
      answeredBy: `user:${stranger.id}`,
    })
    expect(await stranger.api.post(`${path}/pause`)).toMatchObject({ status: 'paused', ownerUserId: ann.id })
    await ann.api.delete(`${path}/delegates/${stranger.id}`)
    expect((await ann.api.get<SessionDetail>(path)).delegates).toEqual([])
    const next = await openAsk(ann.api, session)
    expect((await stranger.api.refused('POST', `/api/asks/${next.id}/answer`, approve)).status).toBe(404)
    expect((await stranger.api.refused('GET', path)).status).toBe(404)
  })

  it('R3 delegating to an unknown person is 404', async () => {
    const session = await startSession(ann.api)
    const refusal = await ann.api.refused('PUT', `/api/sessions/${session.id}/delegates/${nobody()}`)
    expect(refusal).toMatchObject({ status: 404, code: 'user_not_found' })
  })

  it('R3 an ask that names its answerers is answered only by them', async () => {
    const session = await startSession(ann.api)
    const subject = { kind: 'question', question: 'Red or blue?' }
    const ask = await openAsk(ann.api, session, { subject, answerers: [stranger.id] })
    const answer = { outcome: 'reply', value: 'red' }
    expect(await ann.api.refused('POST', `/api/asks/${ask.id}/answer`, answer)).toMatchObject({
      code: 'not_an_answerer',
    })
    expect(await admin.api.refused('POST', `/api/asks/${ask.id}/answer`, answer)).toMatchObject({
      code: 'not_an_answerer',
    })
    expect(await stranger.api.get<Ask>(`/api/asks/${ask.id}`)).toMatchObject({ status: 'open' })
    expect(await stranger.api.post(`/api/asks/${ask.id}/answer`, answer)).toMatchObject({ status: 'answered' })
  })

  it('R3 an agent’s token never answers, and changes no roles, tokens, people or logins', async () => {
    const agent = await newAgent(server)
    const id = await me(owner)
    const session = await startSession(agent)
    const ask = await openAsk(agent, session)
    const tries: [string, string, unknown][] = [
      ['POST', `/api/asks/${ask.id}/answer`, approve],
      ['POST', `/api/users/${ann.id}/roles`, { role: 'admin' }],
      ['DELETE', `/api/users/${admin.id}/roles/admin`, undefined],
      ['POST', '/api/tokens', { name: 'more' }],
      ['DELETE', `/api/tokens/${nobody()}`, undefined],
      ['GET', '/api/tokens', undefined],
      ['POST', '/api/users', { displayName: 'Eve' }],
      ['PATCH', `/api/users/${id}`, { displayName: 'Eve' }],
      ['DELETE', `/api/users/${ann.id}`, undefined],
      ['POST', `/api/users/${id}/identities`, { identity: 'tg:1' }],
      ['POST', '/api/me/link-codes', undefined],
      ['POST', '/api/identities/claim', { identity: 'tg:1', code: 'AAAAA-AAAAA' }],
      ['POST', '/api/login-links', {}],
      ['POST', '/api/repos', { path: '/work' }],
      ['POST', `/api/sessions/${session.id}/pause`, {}],
      ['PUT', `/api/sessions/${session.id}/delegates/${ann.id}`, undefined],
      ['GET', '/api/users', undefined],
      ['GET', '/api/audit', undefined],
      ['GET', '/api/audit/export', undefined],
    ]
    for (const [method, path, body] of tries) {
      const { status } = await agent.send(method, path, { ...(body !== undefined && { body }) })
      expect([method, path, status]).toEqual([
        method,
        path,
        expect.toSatisfy((code: number) => code === 403 || code === 404),
      ])
    }
    expect(await owner.get(`/api/asks/${ask.id}`)).toEqual(ask)
    expect(await owner.get<User>(`/api/users/${ann.id}`)).toMatchObject({
      roles: [{ role: 'machine' }],
      removedAt: null,
    })
  })

  it('R3 an agent sees and touches only its own sessions', async () => {
    const [one, other] = [await newAgent(server), await newAgent(server)]
    const session = await startSession(one)
    const ask = await openAsk(one, session)
    expect((await other.refused('GET', `/api/sessions/${session.id}`)).status).toBe(404)
    expect((await other.refused('GET', `/api/asks/${ask.id}`)).status).toBe(404)
    expect((await other.refused('POST', `/api/asks/${ask.id}/cancel`, {})).status).toBe(404)
    expect((await other.refused('POST', `/api/sessions/${session.id}/fail`, {})).status).toSatisfy(
      (code) => code === 403 || code === 404,
    )
    expect((await other.get<SessionPage>('/api/sessions')).sessions).toEqual([])
    expect((await one.get<SessionPage>('/api/sessions')).sessions.map(({ id }) => id)).toEqual([session.id])
    expect((await owner.get<Session>(`/api/sessions/${session.id}`)).status).toBe('active')
  })

  it('R3 a token bound to one session acts only for it and starts no other', async () => {
    const session = await startSession(ann.api)
    const { token } = await newToken(ann.api, { scope: 'agent', sessionId: session.id })
    const agent = server.api(token)
    expect(await openAsk(agent, session)).toMatchObject({ status: 'open' })
    expect(await agent.refused('POST', '/api/sessions', { protocolMode: 'mcp', workspaceRoot: '/work' })).toMatchObject(
      {
        status: 403,
      },
    )
    expect(
      (await stranger.api.refused('POST', '/api/tokens', { name: 'x', scope: 'agent', sessionId: session.id })).status,
    ).toBe(404)
    expect(
      (await ann.api.refused('POST', '/api/tokens', { name: 'x', scope: 'agent', sessionId: nobody() })).status,
    ).toBe(404)
  })
})

describe.each(databases)('configured people on %s', (database) => {
  it('R2 authorized_user_ids become people at startup, once, and a bare U… is a Slack id', async () => {
    const config = 'authorized_user_ids = ["U0ABC123", "tg:4711", "email:ann@example.org"]\n'
    await using server = await startServer({ database, config })
    const identities = async () =>
      (await server.api().list<User>('/api/users')).flatMap((user) => user.identities.map(({ identity }) => identity))
    const expected = ['slack:U0ABC123', 'tg:4711', 'email:ann@example.org', expect.stringMatching(/^local:/)]
    expect((await identities()).toSorted()).toEqual(expect.arrayContaining(expected))
    await server.restart(config.replace(']', ', "U0NEW"]'))
    expect(await identities()).toHaveLength(expected.length + 1)
    const users = await server.api().list<User>('/api/users')
    const slack = users.find((user) => user.identities.some(({ identity }) => identity === 'slack:U0ABC123'))!
    const person = await signIn(server, slack.id)
    await grantMachine(server, person)
    expect(await startSession(person.api)).toMatchObject({ ownerUserId: slack.id })
  })

  it('R2 anyone else is refused', async () => {
    await using server = await startServer({ database })
    for (const headers of [{}, { authorization: 'Bearer sbx_made_up' }, { cookie: 'signalbox_login_0=made-up' }]) {
      const api = server.tcp(headers)
      expect(await api.refused('GET', '/api/sessions')).toMatchObject({ status: 401 })
      const body = { protocolMode: 'mcp', workspaceRoot: '/work' }
      expect(await api.refused('POST', '/api/sessions', body)).toMatchObject({ status: 401 })
    }
  })

  it('R3 with approvals.admins_may_answer admins can answer, as well as the session’s owner', async () => {
    await using server = await startServer({ database, config: '[approvals]\nadmins_may_answer = true\n' })
    const ann = await newMachineUser(server, 'Ann')
    const plain = await newPerson(server, 'Pat')
    const session = await startSession(ann.api)
    const ask = await openAsk(ann.api, session)
    expect((await plain.api.refused('POST', `/api/asks/${ask.id}/answer`, approve)).status).toBe(404)
    expect(await server.api().post(`/api/asks/${ask.id}/answer`, approve)).toMatchObject({ status: 'answered' })
    const next = await openAsk(ann.api, session)
    expect(await ann.api.post(`/api/asks/${next.id}/answer`, approve)).toMatchObject({ answeredBy: `user:${ann.id}` })
  })
})
