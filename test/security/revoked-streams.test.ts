import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson } from '../conformance/people.ts'
import type { Session } from '../conformance/shapes.ts'
import { newToken, roomy, startSession } from '../conformance/work.ts'
import { optionsOf, type Api } from '../support/api.ts'
import { databases, startServer, type Server } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { until, within } from '../support/until.ts'
import { openTestDirectories, type TestDirectories } from './test-directories.ts'

type Terminal = { sessionId: string }

/** What a stream has sent, unparsed, and whether it has ended. */
function listen(api: Api, path: string) {
  let text = ''
  const call = request({ ...optionsOf(api.place), path, headers: { ...api.headers }, agent: false })
  const ended = new Promise<void>((resolve) => {
    call.on('response', (response) => {
      response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
      response.on('close', resolve)
    })
    call.on('error', () => resolve())
  })
  call.end()
  return { text: () => text, ended, close: () => call.destroy() }
}

describe.each(databases)('an open stream whose right is revoked on %s', (database) => {
  let server: Server
  let directories: TestDirectories
  let owner: Api
  beforeAll(async () => {
    directories = await openTestDirectories()
    server = await startServer({ database, config: roomy })
    owner = server.api().as({ connection: 'close' })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  /** A program that keeps printing until it is ended. */
  const ticking = async (): Promise<string> => {
    const command = ['sh', '-c', 'n=0; while [ $n -lt 3000 ]; do n=$((n+1)); echo tick-$n; sleep 0.05; done']
    return (await owner.post<Terminal>('/api/terminals', { sessionType: 'script', command })).sessionId
  }

  it('S1 ends at once for an agent whose grant to a terminal is revoked', async () => {
    const id = await ticking()
    const session = await startSession(owner, { workspaceRoot: await directories.directory('work') })
    const { token } = await newToken(owner, { name: 'agent', scope: 'agent', sessionId: session.id })
    const grant = (granted: boolean) => owner.post(`/api/terminals/${id}/grants`, { sessionId: session.id, granted })
    await grant(true)
    const agent = server.api(token)
    const streams = [
      listen(agent, `/api/events?live=${id}`),
      listen(agent, '/api/events?live=terminals'),
      listen(agent, `/api/terminals/${id}/live`),
    ]
    await until(() => streams[2]!.text().includes('tick-'))
    await until(() => streams[0]!.text().includes('retry'))
    await until(() => streams[1]!.text().includes('retry'))
    await grant(false)
    await within(Promise.all(streams.map(({ ended }) => ended)), 'the end of the streams', 1.5)
    const lengths = streams.map(({ text }) => text().length)
    // Its person still gets the output; the agent does not.
    const later = listen(owner, `/api/terminals/${id}/live`)
    await until(() => later.text().includes('tick-'))
    expect(streams.map(({ text }) => text().length)).toEqual(lengths)
    await owner.post(`/api/terminals/${id}/end`)
  })

  it('S1 ends at once for a former delegate, and for a person who loses a role', async () => {
    const id = await ticking()
    const bob = await newPerson(server, 'Bob')
    await owner.put(`/api/sessions/${id}/delegates/${bob.id}`)
    const lent = listen(bob.api, `/api/terminals/${id}/live`)
    const live = listen(bob.api, `/api/events?live=${id}`)
    await until(() => lent.text().includes('tick-'))
    await until(() => live.text().includes('retry'))
    await owner.delete(`/api/sessions/${id}/delegates/${bob.id}`)
    await within(Promise.all([lent.ended, live.ended]), 'the end of what was lent', 1.5)

    const adam = await newPerson(server, 'Adam')
    await owner.post(`/api/users/${adam.id}/roles`, { role: 'admin' })
    await using all = await openEvents(adam.api)
    const seen = listen(adam.api, `/api/terminals/${id}/live`)
    await until(() => seen.text().includes('tick-'))
    await owner.delete(`/api/users/${adam.id}/roles/admin`)
    await startSession(owner, { workspaceRoot: await directories.directory('work'), prompt: 'for admins' })
    await within(Promise.all([all.ended, seen.ended]), 'the end of what admins see', 1.5)
    expect(all.heard.filter(({ type }) => type === 'session.started')).toEqual([])
    await owner.post(`/api/terminals/${id}/end`)
  })

  it('S1 ends at once for a person who loses access to a repo, whose token is revoked, or who is removed', async () => {
    const repo = await directories.repo(owner, `shop-${database}`)
    const [ann, ben, carl] = [
      await newPerson(server, 'Ann'),
      await newPerson(server, 'Ben'),
      await newPerson(server, 'Carl'),
    ]
    const readers = [await openEvents(ann.api), await openEvents(ben.api), await openEvents(carl.api)]
    await owner.send('PUT', `/api/repos/${repo.id}/access`, { body: { everyone: false } })
    await within(Promise.all(readers.map(({ ended }) => ended)), 'the end of the readers', 1.5)
    const { token, id } = await newToken(ben.api, { name: 'other' })
    const again = [await openEvents(server.api(token)), await openEvents(carl.api)]
    await ben.api.delete(`/api/tokens/${id}`)
    await owner.delete(`/api/users/${carl.id}`)
    const ended = within(Promise.all(again.map((reader) => reader.ended)), 'the end of theirs', 1.5)
    await expect(ended).resolves.toHaveLength(2)
  })

  it('S1 continues for people who keep their right', async () => {
    const ann = await newPerson(server, 'Anna')
    const session = await startSession(owner, { workspaceRoot: await directories.directory('work') })
    await owner.put(`/api/sessions/${session.id}/delegates/${ann.id}`)
    await using reader = await openEvents(ann.api, { query: `?live=${session.id}` })
    const other = await newPerson(server, 'Otto')
    await owner.post(`/api/users/${other.id}/roles`, { role: 'machine' })
    await owner.delete(`/api/users/${other.id}/roles/machine`)
    await owner.post<Session>(`/api/sessions/${session.id}/complete`, {})
    expect(await reader.first(({ type }) => type === 'session.status_changed')).toMatchObject({ sessionId: session.id })
  })
})
