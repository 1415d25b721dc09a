import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newPerson, type Person } from '../conformance/people.ts'
import type { Ask, Session } from '../conformance/shapes.ts'
import { newToken, roomy } from '../conformance/work.ts'
import { optionsOf, type Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'
import { until, within } from '../support/until.ts'
import { openTestDirectories, type TestDirectories, type Repo } from './test-directories.ts'
import { callTool } from './matrix/tool-call.ts'

/** A stream, and its end. */
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
  return { text: () => text, ended }
}

describe('a person who loses the machine right while their programs run', () => {
  let server: Server
  let directories: TestDirectories
  let owner: Api
  let repo: Repo
  let eve: Person
  beforeAll(async () => {
    directories = await openTestDirectories()
    server = await startServer({ config: `${roomy}\n[commands]\nwho = "id"\n[terminal]\nask_after_seconds = 0\n` })
    owner = server.api().as({ connection: 'close' })
    repo = await directories.repo(owner, 'shop')
    eve = await newPerson(server, 'Eve')
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await directories?.[Symbol.asyncDispose]()
  })

  const openAsk = (sessionId: string) =>
    until(
      async () => (await owner.get<{ asks: Ask[] }>(`/api/asks?sessionId=${sessionId}&status=open`)).asks[0] ?? null,
      { what: 'an ask' },
    )

  it('S1 keeps the programs running, ends her streams, and refuses any input to them at once', async () => {
    await owner.post(`/api/users/${eve.id}/roles`, { role: 'machine' })
    const { sessionId: terminal } = await eve.api.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['sh', '-c', 'echo begun; printf "Go on? [y/n] "; read a; printf "And now? "; read b'],
      cwd: directories.path,
    })
    const practice = { protocolMode: 'acp', agent: 'practice', repoId: repo.id, isolation: 'none' }
    const agent = await eve.api.post<Session>('/api/sessions', { ...practice, prompt: '/run touch made.txt' })
    const free = await eve.api.post<Session>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: directories.path })
    const { token } = await newToken(eve.api, { name: 'agent', scope: 'agent', sessionId: free.id })
    await eve.api.post(`/api/terminals/${terminal}/grants`, { sessionId: free.id })
    const [toRun, toType] = [await openAsk(agent.id), await openAsk(terminal)]
    const streams = [
      listen(eve.api, `/api/events?live=${terminal}`),
      listen(eve.api, `/api/terminals/${terminal}/live`),
    ]
    await until(() => streams[0]!.text().includes('retry') && streams[1]!.text().includes('begun'))

    const { code, stderr } = await server.cli('roles', 'revoke', 'machine', 'Eve')
    expect([code, stderr]).toEqual([0, expect.stringMatching(/keep running, but they can no longer type/)])
    // She sees less of the log now, but may still read her own terminal.
    await within(streams[0]!.ended, 'the end of the stream of events', 1.5)

    const tried: [string, string, object?][] = [
      ['POST', `/api/terminals/${terminal}/input`, { text: 'y', pressEnter: true }],
      ['POST', `/api/asks/${toType.id}/answer`, { outcome: 'reply', value: 'y' }],
      ['POST', `/api/asks/${toRun.id}/answer`, { outcome: 'approve' }],
      ['POST', `/api/asks/${toRun.id}/answer`, { outcome: 'reject', reason: 'run this instead: id' }],
      ['POST', `/api/sessions/${agent.id}/prompt`, { text: 'go on' }],
      ['POST', `/api/sessions/${agent.id}/mode`, { modeId: 'quick' }],
      ['POST', `/api/sessions/${agent.id}/options`, { optionId: 'speed', value: 'fast' }],
      ['POST', `/api/sessions/${agent.id}/restart`, {}],
      ['POST', `/api/sessions/${agent.id}/fork`, {}],
      ['POST', `/api/sessions/${agent.id}/run`, { alias: 'who' }],
      ['POST', `/api/sessions/${free.id}/prompt`, { text: 'go on' }],
      ['POST', `/api/sessions/${free.id}/checkpoints`, {}],
      ['POST', '/api/terminals', { sessionType: 'script', command: ['id'], cwd: '/' }],
    ]
    for (const [method, path, body] of tried) {
      const refused = await eve.api.refused(method, path, body)
      expect([path, body, refused.status, refused.code]).toEqual([path, body, 403, 'needs_machine'])
    }
    const headers = { authorization: `Bearer ${token}` }
    const typed = await callTool({ server }, headers, 'send_session_input', { session_id: terminal, text: 'y' })
    expect(typed.reply.text).toContain('needs_machine')

    const seen = async (api: Api) =>
      (await api.get<{ items: { key: string; mine: boolean; mayApprove?: boolean }[] }>('/api/inbox')).items.find(
        ({ key }) => key === `ask:${toRun.id}`,
      )
    expect(await seen(eve.api)).toMatchObject({ mine: true, mayApprove: false })
    expect((await owner.get<Session>(`/api/sessions/${agent.id}`)).status).toBe('active')
    expect(await owner.get(`/api/terminals/${terminal}`)).toMatchObject({ state: 'active' })
    // Reading, rejecting and ending need no right.
    expect((await eve.api.send('GET', `/api/terminals/${terminal}/screen`)).status).toBe(200)
    expect((await eve.api.send('POST', `/api/asks/${toRun.id}/answer`, { body: { outcome: 'reject' } })).status).toBe(
      200,
    )
    await eve.api.post(`/api/terminals/${terminal}/end`)
    await eve.api.delete(`/api/sessions/${agent.id}`)
  })

  it('S1 a delegate without the right is told that they may reject, but not approve', async () => {
    const practice = { protocolMode: 'acp', agent: 'practice', repoId: repo.id }
    const start = (more: object) =>
      owner.post<Session>('/api/sessions', { ...practice, ...more, prompt: '/run touch made.txt' })
    const [unconfined, confined] = [await start({ isolation: 'none' }), await start({})]
    const bob = await newPerson(server, 'Bob')
    for (const [session, mayApprove] of [
      [unconfined, false],
      [confined, true],
    ] as const) {
      await owner.put(`/api/sessions/${session.id}/delegates/${bob.id}`)
      const ask = await openAsk(session.id)
      const { items } = await bob.api.get<{ items: { key: string }[] }>('/api/inbox')
      expect(items.find(({ key }) => key === `ask:${ask.id}`)).toMatchObject({ mine: true, mayApprove })
      const { status } = await bob.api.send('POST', `/api/asks/${ask.id}/answer`, { body: { outcome: 'approve' } })
      expect(status).toBe(mayApprove ? 200 : 403)
      await owner.delete(`/api/sessions/${session.id}`)
    }
  })
})
