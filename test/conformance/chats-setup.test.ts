import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { guarded } from '../support/chats/loopback-guard.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { newPerson, type Person } from './people.ts'

type Named = { id: string; name: string }
type Wiring = { id: string; chatId: string; agentGroupId: string; engageMode: string }
type Destination = { localName: string; targetId: string; wiringId: string | null }
type Chat = Named & { wirings: Wiring[]; deniedAt: string | null }

describe.each(usualDatabases)('chats on %s', (database) => {
  let server: Server
  let owner: Api
  let places = 0
  beforeAll(async () => {
    server = await startServer({ database, env: guarded })
    owner = server.api()
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const newGroup = (name: string) => owner.post<Named & { folder: string }>('/api/agent-groups', { name })
  const newChat = (name: string | null = null) => {
    places += 1
    return owner.post<Chat>('/api/chats', { channelType: 'slack', platformId: `C${places}`, name, isGroup: true })
  }
  const wire = (chatId: string, agentGroupId: string, more = {}) =>
    owner.post<Wiring>('/api/wirings', { chatId, agentGroupId, ...more })
  const destinations = async (api: Api = owner) => api.list<Destination>('/api/destinations')

  it('C1 a wiring and its destination come and go together; a name is made once', async () => {
    const group = await newGroup('Helpers One')
    expect(group.folder).toBe('helpers-one')
    const [first, second] = [await newChat('general'), await newChat('general')]
    const wirings = [await wire(first.id, group.id), await wire(second.id, group.id)]
    const made = (await destinations()).filter(({ targetId }) => [first.id, second.id].includes(targetId))
    expect(made.map(({ localName }) => localName).toSorted()).toEqual(['general', 'general-2'])
    expect(made.map(({ wiringId }) => String(wiringId)).toSorted()).toEqual(wirings.map(({ id }) => id).toSorted())
    const again = await owner.refused('POST', '/api/wirings', { chatId: first.id, agentGroupId: group.id })
    expect([again.status, again.code]).toEqual([409, 'wiring_exists'])
    await owner.delete(`/api/wirings/${wirings[0]!.id}`)
    expect((await destinations()).some(({ targetId }) => targetId === first.id)).toBe(false)
    await owner.delete(`/api/agent-groups/${group.id}`)
    expect((await destinations()).some(({ targetId }) => targetId === second.id)).toBe(false)
    expect((await owner.get<Chat>(`/api/chats/${second.id}`)).wirings).toEqual([])
    expect((await owner.refused('GET', `/api/agent-groups/${group.id}`)).status).toBe(404)
  })

  it('C3 a wiring says when the agent answers; a pattern must be one that takes linear time', async () => {
    const [group, chat] = [await newGroup('Helpers Two'), await newChat()]
    const { id, engageMode } = await wire(chat.id, group.id)
    expect(engageMode).toBe('mention')
    const path = `/api/wirings/${id}`
    for (const engagePattern of ['(a)\\1', '(?=x)', '('])
      expect((await owner.refused('PATCH', path, { engageMode: 'pattern', engagePattern })).code).toBe(
        'invalid_pattern',
      )
    const body = { engageMode: 'pattern', engagePattern: '^!bot', sessionMode: 'per-thread' }
    expect((await owner.send('PATCH', path, { body })).body).toMatchObject(body)
    expect((await owner.refused('PATCH', path, { engageMode: 'shout' })).status).toBe(400)
  })

  it('C3 a denied chat loses its wirings, and comes back when it is wired', async () => {
    const [group, chat] = [await newGroup('Helpers Three'), await newChat()]
    await wire(chat.id, group.id)
    const denied = await owner.post<Chat>(`/api/chats/${chat.id}/deny`)
    expect([denied.wirings, denied.deniedAt === null]).toEqual([[], false])
    await wire(chat.id, group.id)
    expect((await owner.get<Chat>(`/api/chats/${chat.id}`)).deniedAt).toBe(null)
  })

  describe('an admin of one agent group', () => {
    let admin: Person
    let mine: Named
    let other: Named
    beforeAll(async () => {
      admin = await newPerson(server, 'Ada')
      ;[mine, other] = [await newGroup('Mine'), await newGroup('Other')]
      await owner.post(`/api/users/${admin.id}/roles`, { role: 'admin', agentGroupId: mine.id })
    })

    it('C2 sees its chats, wirings and destinations, and nothing of other groups', async () => {
      const [here, there] = [await newChat('here'), await newChat('there')]
      const [own, foreign] = [await wire(here.id, mine.id), await wire(there.id, other.id)]
      await wire(here.id, other.id)
      const chats = await admin.api.list<Chat>('/api/chats')
      expect(chats.map(({ id }) => id)).toEqual([here.id])
      expect(chats[0]!.wirings.map(({ id }) => id)).toEqual([own.id])
      expect((await admin.api.list<Wiring>('/api/wirings')).map(({ id }) => id)).toEqual([own.id])
      expect((await destinations(admin.api)).map(({ localName }) => localName)).toEqual(['here'])
      expect((await admin.api.list<Named>('/api/agent-groups')).map(({ id }) => id)).toEqual([mine.id])
      expect((await admin.api.refused('PATCH', `/api/wirings/${foreign.id}`, { priority: 1 })).status).toBe(404)
      expect((await admin.api.refused('DELETE', `/api/wirings/${foreign.id}`)).status).toBe(404)
      expect((await admin.api.refused('GET', `/api/chats/${there.id}`)).status).toBe(404)
      expect((await admin.api.refused('GET', `/api/agent-groups/${other.id}/members`)).status).toBe(404)
    })

    it('C2 adds and removes its members, who then see the group, and who added them', async () => {
      const ben = await newPerson(server, 'Ben')
      expect(await ben.api.list('/api/agent-groups')).toEqual([])
      await admin.api.put(`/api/agent-groups/${mine.id}/members/${ben.id}`)
      expect((await ben.api.list<Named>('/api/agent-groups')).map(({ name }) => name)).toEqual(['Mine'])
      const members = await admin.api.list<{ userId: string; role: string; addedBy: string }>(
        `/api/agent-groups/${mine.id}/members`,
      )
      expect(members.map(({ userId, role }) => [userId, role])).toEqual([
        [admin.id, 'admin'],
        [ben.id, 'member'],
      ])
      expect(members[1]!.addedBy).toBe(admin.id)
      expect((await ben.api.refused('GET', `/api/agent-groups/${mine.id}/members`)).code).toBe('needs_role')
      expect((await admin.api.refused('PUT', `/api/agent-groups/${other.id}/members/${ben.id}`)).code).toBe(
        'needs_role',
      )
      await admin.api.delete(`/api/agent-groups/${mine.id}/members/${ben.id}`)
      expect(await ben.api.list('/api/agent-groups')).toEqual([])
    })
  })

  it('C2 a code works once, for the person it was made for, and for ten minutes', async () => {
    const ann = await newPerson(server, 'Ann')
    const { code, expiresAt } = await ann.api.post<{ code: string; expiresAt: string }>('/api/me/link-codes')
    expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/)
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
    expect(minutes > 9 && minutes <= 10).toBe(true)
    const identity = `slack:U${places}${database.toUpperCase()}`
    // As people type it.
    const typed = ` ${code.toLowerCase().replace('-', ' ')} `
    const linked = await owner.post<{ id: string }>('/api/identities/claim', { identity, code: typed })
    expect(linked.id).toBe(ann.id)
    expect((await owner.refused('POST', '/api/identities/claim', { identity, code })).code).toBe('code_not_valid')
    // A code that a person made is none that a chat gave out.
    const { code: another } = await ann.api.post<{ code: string }>('/api/me/link-codes')
    const own = await ann.api.refused('POST', '/api/identities/claim', { code: another })
    expect(own.code).toBe('code_not_valid')
  })

  it('C12 the entrance of platforms needs no login, and shows nothing of the server', async () => {
    const path = '/chat/0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3/events'
    const headers = { host: 'signalbox.example.org', origin: 'https://slack.example' }
    const reply = await server.tcp(headers).send('POST', path, { body: {} })
    expect(reply.status).toBe(404)
    const elsewhere = await server.tcp(headers).send('GET', '/api/chats')
    expect([elsewhere.status, elsewhere.text.includes('host_not_allowed')]).toEqual([403, true])
  })
})
