import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookInto, type Look } from '../conformance/look.ts'
import { newPerson, newMachineUser, type Person } from '../conformance/people.ts'
import type { Session } from '../conformance/shapes.ts'
import { newToken, roomy } from '../conformance/work.ts'
import type { Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { openTestDirectories, type TestDirectories, type Repo } from './test-directories.ts'

describe.each(databases)('what responses reveal, on %s', (database) => {
  let server: Server
  let directories: TestDirectories
  let look: Look
  let owner: Api
  let repo: Repo
  let eve: Person
  let mona: Person
  beforeAll(async () => {
    directories = await openTestDirectories()
    server = await startServer({ database, config: roomy })
    look = await lookInto(server)
    owner = server.api().as({ connection: 'close' })
    repo = await directories.repo(owner, 'shop')
    eve = await newPerson(server, 'Eve')
    mona = await newMachineUser(server, 'Mona')
  })
  afterAll(async () => {
    await look?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })
  const start = (api: Api) => api.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: repo.id })

  it('S9 only people with the machine right see paths', async () => {
    const paths = async (api: Api) => {
      const { dataDirectory, socket } = await api.get<Record<string, unknown>>('/api/status')
      return [dataDirectory, socket]
    }
    expect(await paths(owner)).toEqual([server.home, server.socket])
    expect(await paths(mona.api)).toEqual([server.home, server.socket])
    expect(await paths(eve.api)).toEqual([null, null])
    expect(JSON.stringify(await eve.api.get('/api/status'))).not.toContain(server.home)
  })

  it('S9 a parent terminal that may not be seen looks like a missing one', async () => {
    const { id: hidden } = await start(owner)
    const open = (parentSessionId: string) =>
      mona.api.refused('POST', '/api/terminals', {
        sessionType: 'script',
        command: ['true'],
        cwd: '/',
        parentSessionId,
      })
    const absent = randomUUID()
    const [seen, unseen] = [await open(absent), await open(hidden)]
    expect([unseen.status, unseen.code]).toEqual([404, seen.code])
    expect(unseen.message.replace(hidden, absent)).toBe(seen.message)
    const { id: own } = await start(mona.api)
    const body = { sessionType: 'script', command: ['true'], cwd: '/', parentSessionId: own }
    expect((await mona.api.send('POST', '/api/terminals', { body })).status).toBe(201)
  })

  it('S9 a token request does not tell an agent whether a session exists', async () => {
    const { id: hidden } = await start(owner)
    const { token } = await newToken(eve.api, { name: 'agent', scope: 'agent' })
    const ask = (sessionId: string) =>
      server.api(token).refused('POST', '/api/tokens', { name: 'more', scope: 'agent', sessionId })
    const [seen, unseen] = [await ask(randomUUID()), await ask(hidden)]
    expect([unseen.status, unseen.code]).toEqual([seen.status, seen.code])
  })

  it('S9 a page of checkpoints is full, even if others made newer ones', async () => {
    const own = await start(eve.api)
    for (let n = 0; n < 3; n += 1) await eve.api.post(`/api/sessions/${own.id}/checkpoints`, {})
    const other = await start(owner)
    for (let n = 0; n < 3; n += 1) await owner.post(`/api/sessions/${other.id}/checkpoints`, {})
    type Page = { checkpoints: { sessionId: string }[] }
    const { checkpoints } = await eve.api.get<Page>('/api/checkpoints?limit=3')
    expect(checkpoints.map(({ sessionId }) => sessionId)).toEqual([own.id, own.id, own.id])
  })

  it('S9 a group admin who adds a member does not see their other roles', async () => {
    const [group, other] = [randomUUID(), randomUUID()]
    for (const id of [group, other])
      await look.change(
        'insert into agent_groups (id, name, folder, created_at) values (?, ?, ?, ?)',
        id,
        id,
        id,
        new Date().toISOString(),
      )
    await owner.post(`/api/users/${eve.id}/roles`, { role: 'admin', agentGroupId: group })
    const identity = `email:${randomUUID()}@example.org`
    const { id } = await owner.post<{ id: string }>('/api/users', { displayName: 'Ann', identities: [identity] })
    await owner.put(`/api/agent-groups/${other}/members/${id}`)
    await owner.post(`/api/users/${id}/roles`, { role: 'machine' })
    const member = { memberOf: [expect.objectContaining({ agentGroupId: group })], identities: [], roles: [] }
    expect(await eve.api.put(`/api/agent-groups/${group}/members/${id}`)).toMatchObject(member)
    const admin = await eve.api.post(`/api/users/${id}/roles`, { role: 'admin', agentGroupId: group })
    expect(admin).toMatchObject({ identities: [], roles: [{ role: 'admin', agentGroupId: group }] })
    expect(JSON.stringify(await eve.api.delete(`/api/users/${id}/roles/admin?agentGroupId=${group}`))).not.toMatch(
      /example\.org|machine/,
    )
  })
})
