import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { within } from '../support/until.ts'
import { lookInto } from './look.ts'
import { me, newMachineUser, newPerson, redeem, type Person } from './people.ts'
import type { User } from './shapes.ts'
import { newToken, nobody, startSession } from './work.ts'

describe.each(databases)('people on %s', (database) => {
  let server: Server
  let owner: Api
  let ownerId: string
  let admin: Person
  let plain: Person
  let group: string
  beforeAll(async () => {
    server = await startServer({ database })
    owner = server.api()
    ownerId = await me(owner)
    admin = await newPerson(server, 'Ada')
    plain = await newPerson(server, 'Pat')
    await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin' })
    await using look = await lookInto(server)
    group = nobody()
    const at = '2026-01-01T00:00:00.000Z'
    await look.change(
      'insert into agent_groups (id, name, folder, created_at) values (?, ?, ?, ?)',
      group,
      'G',
      'g',
      at,
    )
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const identitiesOf = async (id: string) =>
    (await owner.get<User>(`/api/users/${id}`)).identities.map(({ identity }) => identity)
  const grant = (who: Api, id: string, role: string, agentGroupId: string | null = null) =>
    who.send('POST', `/api/users/${id}/roles`, { body: { role, agentGroupId } })

  it('C2 the first start creates the local owner', async () => {
    const { user, as, scope, via } = await owner.get<{ user: User; as: string; scope: string; via: string }>('/api/me')
    expect(user).toMatchObject({
      identities: [{ identity: expect.stringMatching(/^local:\S+$/) }],
      roles: [{ role: 'owner', agentGroupId: null }],
    })
    expect({ as, scope, via }).toEqual({ as: 'person', scope: 'full', via: 'socket' })
  })

  it.each(['slack:U123', 'tg:4711', 'discord:99', 'phone:+4912345', 'email:ann@example.org', 'local:ann'])(
    'C2 %s is an identity, and belongs to one person',
    async (identity) => {
      const user = await owner.post<User>('/api/users', { displayName: 'Ann', identities: [identity] })
      expect(user.identities).toMatchObject([{ identity }])
      const again = await owner.refused('POST', '/api/users', { displayName: 'Bob', identities: [identity] })
      expect(again).toMatchObject({ status: 409, code: 'identity_taken' })
      const linked = await owner.refused('POST', `/api/users/${plain.id}/identities`, { identity })
      expect(linked).toMatchObject({ status: 409, code: 'identity_taken' })
    },
  )

  it.each(['ann', 'fax:123', 'slack:', 'email:a b', ''])('C2 %j is not an identity', async (identity) => {
    expect((await owner.refused('POST', `/api/users/${plain.id}/identities`, { identity })).status).toBe(400)
  })

  it('C2 a bare U… is a Slack id, and an identity can be unlinked', async () => {
    const { id } = await owner.post<User>('/api/users', { displayName: 'Uma', identities: ['U77AA'] })
    expect(await identitiesOf(id)).toEqual(['slack:U77AA'])
    await owner.post(`/api/users/${id}/identities`, { identity: 'tg:900' })
    await owner.delete(`/api/users/${id}/identities/${encodeURIComponent('slack:U77AA')}`)
    expect(await identitiesOf(id)).toEqual(['tg:900'])
    expect(
      (await owner.refused('DELETE', `/api/users/${id}/identities/${encodeURIComponent('slack:U77AA')}`)).status,
    ).toBe(404)
  })

  it('C2 the same identity twice in one request is not an internal error', async () => {
    const reply = await owner.send('POST', '/api/users', {
      body: { displayName: 'Twin', identities: ['tg:2', 'tg:2'] },
    })
    expect(reply.status).toBeLessThan(500)
  })

  it('C2 a one-time code links an identity, once', async () => {
    const person = await newPerson(server, 'Lin')
    const { code, expiresAt } = await person.api.post<{ code: string; expiresAt: string }>('/api/me/link-codes')
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(9)
    expect(minutes).toBeLessThanOrEqual(10)
    const claimed = await owner.post<User>('/api/identities/claim', { identity: 'tg:555', code: code.toLowerCase() })
    expect(claimed).toMatchObject({ id: person.id, identities: [{ identity: 'tg:555' }] })
    const again = await owner.refused('POST', '/api/identities/claim', { identity: 'tg:556', code })
    expect(again).toMatchObject({ status: 403, code: 'code_not_valid' })
  })

  it('C2 of many simultaneous claims of one code one succeeds', async () => {
    const person = await newPerson(server, 'Lou')
    const { code } = await person.api.post<{ code: string }>('/api/me/link-codes')
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        owner.send('POST', '/api/identities/claim', { body: { identity: `tg:9${n}`, code } }),
      ),
    )
    expect(claims.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await identitiesOf(person.id)).toHaveLength(1)
  })

  it('C2 a wrong or expired code links nothing', async () => {
    const { code } = await plain.api.post<{ code: string }>('/api/me/link-codes')
    await using look = await lookInto(server)
    await look.change("update identity_offers set expires_at = '2020-01-01T00:00:00.000Z' where user_id = ?", plain.id)
    for (const tried of [code, 'AAAAA-AAAAA'])
      expect(await owner.refused('POST', '/api/identities/claim', { identity: 'tg:31', code: tried })).toMatchObject({
        code: 'code_not_valid',
      })
    expect(await identitiesOf(plain.id)).toEqual([])
  })

  it('C2 claiming moves the identity from its previous person', async () => {
    const old = await owner.post<User>('/api/users', { displayName: 'Old', identities: ['email:both@example.org'] })
    const { code } = await plain.api.post<{ code: string }>('/api/me/link-codes')
    await owner.post('/api/identities/claim', { identity: 'email:both@example.org', code })
    expect(await identitiesOf(old.id)).toEqual([])
    expect(await identitiesOf(plain.id)).toEqual(['email:both@example.org'])
  })

  it('C2 only owners grant owner and global admin', async () => {
    const { id } = await newPerson(server, 'Gus')
    for (const role of ['owner', 'admin'])
      for (const who of [admin.api, plain.api]) {
        const reply = await grant(who, id, role)
        expect(reply.status).toBe(403)
        expect(reply.body).toMatchObject({ error: { code: 'needs_role' } })
      }
    expect((await grant(owner, id, 'admin')).status).toBe(201)
    expect((await grant(owner, id, 'owner')).status).toBe(201)
    expect((await owner.get<User>(`/api/users/${id}`)).roles).toMatchObject([
      { role: 'admin', agentGroupId: null, grantedBy: ownerId },
      { role: 'owner', agentGroupId: null, grantedBy: ownerId },
    ])
    expect((await admin.api.refused('DELETE', `/api/users/${id}/roles/admin`)).status).toBe(403)
    expect((await admin.api.refused('DELETE', `/api/users/${id}`)).status).toBe(403)
    await owner.delete(`/api/users/${id}/roles/owner`)
    await owner.delete(`/api/users/${id}/roles/admin`)
  })

  it('C2 nobody can raise their own role', async () => {
    for (const { api, id } of [admin, plain])
      for (const role of ['owner', 'admin']) expect((await grant(api, id, role)).status).toBe(403)
    expect((await grant(owner, ownerId, 'admin')).status).toBe(403)
    const boss = await newPerson(server, 'Grace')
    await grant(owner, boss.id, 'admin', group)
    expect((await grant(boss.api, boss.id, 'admin')).status).toBe(403)
    expect((await grant(boss.api, boss.id, 'owner')).status).toBe(403)
    expect((await owner.get<User>(`/api/users/${boss.id}`)).roles).toHaveLength(1)
  })

  it('C2 a group’s admin grants roles only within that group', async () => {
    const boss = await newPerson(server, 'Gwen')
    const other = await newPerson(server, 'Otto')
    expect((await grant(owner, boss.id, 'admin', group)).status).toBe(201)
    expect((await grant(boss.api, other.id, 'admin')).status).toBe(403)
    expect((await grant(boss.api, other.id, 'admin', group)).status).toBeLessThan(300)
    expect(await boss.api.put<User>(`/api/agent-groups/${group}/members/${other.id}`)).toMatchObject({
      memberOf: [{ agentGroupId: group, addedBy: boss.id }],
    })
    expect((await plain.api.refused('PUT', `/api/agent-groups/${group}/members/${plain.id}`)).status).toBe(403)
    expect((await owner.refused('PUT', `/api/agent-groups/${nobody()}/members/${other.id}`)).status).toBe(404)
  })

  it('C2 owner is always global, and only owner and admin are roles', async () => {
    expect(
      await owner.refused('POST', `/api/users/${plain.id}/roles`, { role: 'owner', agentGroupId: group }),
    ).toMatchObject({
      status: 400,
      code: 'owner_is_global',
    })
    expect((await grant(owner, plain.id, 'king')).status).toBe(400)
    expect((await grant(owner, nobody(), 'admin')).status).toBe(404)
    expect((await grant(owner, plain.id, 'admin', nobody())).status).toBe(404)
  })

  it('C2 granting twice has the effect of granting once', async () => {
    const { id } = await newPerson(server, 'Dup')
    const replies = await Promise.all([1, 2, 3, 4].map(() => grant(owner, id, 'admin')))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect((await owner.get<User>(`/api/users/${id}`)).roles).toHaveLength(1)
  })

  it('C2 only admins see people; everyone sees themselves', async () => {
    expect((await plain.api.refused('GET', '/api/users')).status).toBe(403)
    expect((await plain.api.refused('GET', `/api/users/${admin.id}`)).status).toBe(404)
    expect(await plain.api.get(`/api/users/${plain.id}`)).toMatchObject({ displayName: 'Pat' })
    expect(await plain.api.patch(`/api/users/${plain.id}`, { displayName: 'Patricia' })).toMatchObject({
      displayName: 'Patricia',
    })
    expect((await plain.api.refused('PATCH', `/api/users/${admin.id}`, { displayName: 'X' })).status).toSatisfy(
      (code) => code === 403 || code === 404,
    )
    await plain.api.patch(`/api/users/${plain.id}`, { displayName: 'Pat' })
    expect((await plain.api.refused('POST', '/api/users', { displayName: 'X' })).status).toBe(403)
  })

  it('C2 removing a person ends their tokens, logins and open streams at once', async () => {
    const person = await newPerson(server, 'Rex', ['tg:1000'])
    const browser = server.tcp(person.login)
    const { token } = await newToken(person.api, { scope: 'agent' })
    const agent = server.api(token)
    for (const api of [person.api, browser, agent]) await api.get('/api/me')
    await using stream = await openEvents(person.api)
    const { url } = await owner.post<{ url: string }>('/api/login-links', { userId: person.id })
    expect(await owner.delete<User>(`/api/users/${person.id}`)).toMatchObject({
      removedAt: expect.any(String),
      roles: [],
      identities: [],
    })
    for (const api of [person.api, browser, agent]) expect((await api.refused('GET', '/api/me')).status).toBe(401)
    await within(stream.ended, 'the end of the stream')
    await expect(redeem(server, url)).rejects.toThrow(/40[0-9]/)
    await owner.post('/api/users', { displayName: 'Heir', identities: ['tg:1000'] })
    expect((await owner.refused('DELETE', `/api/users/${person.id}`)).status).toBe(404)
  })

  it('C2 sessions of a removed person stay, with their owner', async () => {
    const person = await newMachineUser(server, 'Ray')
    const session = await startSession(person.api)
    await owner.delete(`/api/users/${person.id}`)
    expect(await owner.get(`/api/sessions/${session.id}`)).toMatchObject({ ownerUserId: person.id })
  })
})

describe.each(databases)('the last owner on %s', (database) => {
  it('C2 can neither be removed nor lose the role, even if two go at once', async () => {
    await using server = await startServer({ database })
    const first = await me(server.api())
    const role = (id: string) => `/api/users/${id}/roles/owner`
    expect(await server.api().refused('DELETE', role(first))).toMatchObject({ status: 409, code: 'last_owner' })
    expect(await server.api().refused('DELETE', `/api/users/${first}`)).toMatchObject({
      status: 409,
      code: 'last_owner',
    })
    const second = await newPerson(server, 'Second')
    await server.api().post(`/api/users/${second.id}/roles`, { role: 'owner' })
    const { token } = await newToken(server.api())
    const one = server.api(token)
    const replies = await Promise.all([one.send('DELETE', role(second.id)), second.api.send('DELETE', role(first))])
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    await using look = await lookInto(server)
    expect(await look.rows("select user_id from user_roles where role = 'owner'")).toHaveLength(1)
  })
})
