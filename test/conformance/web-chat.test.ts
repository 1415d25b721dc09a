import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { newPerson } from './people.ts'

type WebMessage = {
  id: string
  from: 'you' | 'agent'
  text: string | null
  state: string
  card: { title: string; lines: { text?: string }[]; buttons: { action: string; label: string }[] } | null
}

describe.each(['sqlite', 'postgres'] as const)('the chat of the dashboard on %s', (database) => {
  let server: Server
  let api: Api
  let group: string
  let folder: string
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbw-')))
    server = await startServer({ database, config: `workspace_root = ${JSON.stringify(folder)}\n` })
    api = server.api()
    const path = join(folder, 'work')
    execFileSync('git', ['init', '-q', path])
    const repo = await api.post<{ id: string }>('/api/repos', { path })
    const made = { name: 'Helpers', agent: 'practice', repoId: repo.id }
    group = (await api.post<{ id: string }>('/api/agent-groups', made)).id
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const messagesOf = async (by: Api) =>
    (await by.get<{ messages: WebMessage[] }>(`/api/web-chats/${group}/messages`)).messages
  const say = (text: string, more: object = {}) => api.post(`/api/web-chats/${group}/messages`, { text, ...more })
  const heard = (matches: (message: WebMessage) => boolean, what: string) =>
    until(async () => (await messagesOf(api)).find((one) => one.from === 'agent' && matches(one)), { what })

  it('C12 a message reaches the agent once, however often it is sent; its reply comes back in order', async () => {
    const id = randomUUID()
    for (const _time of [1, 2, 3]) await say('/say Ready', { id })
    await heard(({ text }) => text === 'Ready', 'the reply')
    const all = await messagesOf(api)
    expect(all.filter(({ from }) => from === 'you').map(({ text, state }) => [text, state])).toEqual([
      ['/say Ready', 'done'],
    ])
    expect(all.filter(({ text }) => text === 'Ready')).toHaveLength(1)
    const [chat] = await api.list<{ agentGroupId: string; working: boolean }>('/api/web-chats')
    expect(chat).toMatchObject({ agentGroupId: group })
  })

  it('C12 R3 a diff is a card; its button applies it, and a second press changes nothing', async () => {
    await say('/write note.txt All aboard')
    const card = await heard((one) => (one.card?.buttons.length ?? 0) > 0, 'a card')
    const approve = card.card?.buttons.find(({ label }) => label.startsWith('Approve'))
    const press = () => api.post(`/api/web-chats/${group}/press`, { messageId: card.id, action: approve?.action ?? '' })
    await press()
    await heard((one) => one.id === card.id && one.card?.buttons.length === 0, 'the answered card')
    await until(async () => (await readFile(join(folder, 'work', 'note.txt'), 'utf8').catch(() => '')) !== '')
    await press().catch(() => {})
    const after = (await messagesOf(api)).find(({ id }) => id === card.id)
    expect(JSON.stringify(after?.card)).toMatch(/Approved by/)
  })

  it('C3 people of the group have a chat of their own; others do not know of it', async () => {
    const [mia, eve] = [await newPerson(server, 'Mia'), await newPerson(server, 'Eve')]
    await api.put(`/api/agent-groups/${group}/members/${mia.id}`)
    expect(await messagesOf(mia.api)).toEqual([])
    expect((await eve.api.refused('GET', `/api/web-chats/${group}/messages`)).status).toBe(404)
  })
})
