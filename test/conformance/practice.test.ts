import { execFileSync } from 'node:child_process'
import { mkdir, readFile, readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { optionsOf, type Api } from '../support/api.ts'
import { usualDatabases } from '../support/server.ts'
import { openEvents } from '../support/sse.ts'
import { until, within } from '../support/until.ts'
import { openAgentsHarness, type AgentSession, type AgentsHarness } from './agents-harness.ts'
import { newMachineUser, newPerson } from './people.ts'
import type { Message, Repo } from './shapes.ts'
import { newAgent, newToken } from './work.ts'

type File = {
  path: string
  change: string
  added: number
  removed: number
  askId: string | null
  at: string
  undone: boolean
}

/** Everything on a stream, frames without an id included. */
async function openFrames(api: Api, query: string) {
  const call = request({ ...optionsOf(api.place), path: `/api/events${query}`, headers: api.headers, agent: false })
  const frames: string[] = []
  const opened = Promise.withResolvers<void>()
  call.on('error', () => undefined)
  call.on('response', (response) => {
    let rest = ''
    response.setEncoding('utf8')
    response.on('error', () => undefined)
    response.on('data', (text: string) => {
      opened.resolve()
      const parts = (rest + text).split('\n\n')
      rest = parts.pop() ?? ''
      frames.push(...parts)
    })
  })
  call.end()
  await within(opened.promise, 'the stream')
  return { frames, [Symbol.dispose]: () => void call.destroy() }
}

describe.each(usualDatabases)('the practice agent on %s', (database) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ database })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const practise = () => harness.api.post<AgentSession>('/api/practice')
  const files = async ({ id }: { id: string }) =>
    (await harness.api.get<{ files: File[] }>(`/api/sessions/${id}/files`)).files

  it('B1 needs no setup: the practice agent starts in a repo made for it, and shows a diff at once', async () => {
    const session = await practise()
    expect(session).toMatchObject({ agent: 'practice', protocolMode: 'acp', prompt: 'Show me around' })
    const repos = await harness.api.list<Repo>('/api/repos')
    expect(repos).toMatchObject([{ id: session.repoId, name: 'signalbox-practice', path: session.workspaceRoot }])
    const git = (...args: string[]) => execFileSync('git', ['-C', session.workspaceRoot, ...args], { encoding: 'utf8' })
    expect(git('log', '--format=%s')).toBe('A place to practise\n')
    expect(git('status', '--short')).toBe('')
    expect(git('ls-files')).toBe('README.md\n')
    const ask = await harness.openAsk(session)
    const { items } = await harness.api.get<{ items: Record<string, unknown>[] }>('/api/inbox')
    expect(items).toMatchObject([
      {
        key: `ask:${ask.id}`,
        mine: true,
        changes: { files: [{ path: 'signalbox-practice.md', change: 'added' }] },
        session: { id: session.id, repoName: 'signalbox-practice' },
      },
    ])
    await harness.answer(ask, { outcome: 'approve' })
    const written = join(session.workspaceRoot, 'signalbox-practice.md')
    expect(await until(() => readFile(written, 'utf8').catch(() => ''))).toContain('practice agent')
    const [file] = await until(async () => {
      const found = await files(session)
      return found.length > 0 ? found : null
    })
    expect(file).toMatchObject({ path: 'signalbox-practice.md', change: 'added', askId: ask.id, undone: false })
    expect(file?.added).toBeGreaterThan(1)
    await harness.api.post(`/api/asks/${ask.id}/undo`)
    expect(await files(session)).toMatchObject([{ path: 'signalbox-practice.md', undone: true }])
    await harness.api.delete(`/api/sessions/${session.id}`)
  })

  it('B1 makes the repo once, however many start at the same time', async () => {
    const sessions = await Promise.all([practise(), practise(), practise()])
    expect(new Set(sessions.map(({ repoId }) => repoId)).size).toBe(1)
    expect(await harness.api.list<Repo>('/api/repos')).toHaveLength(1)
    const root = sessions[0].workspaceRoot
    expect((await readdir(join(root, '..'))).filter((name) => name.includes('practice'))).toEqual([
      'signalbox-practice',
    ])
    for (const { id } of sessions) await harness.api.delete(`/api/sessions/${id}`)
  })

  it('B1 is for people who may act, admins or not', async () => {
    const agent = await newAgent(harness.server)
    expect(await agent.refused('POST', '/api/practice', {})).toMatchObject({ status: 403, code: 'agents_may_not' })
    const { token } = await newToken(harness.api, { scope: 'read' })
    expect(await harness.server.api(token).refused('POST', '/api/practice', {})).toMatchObject({
      code: 'read_only_token',
    })
    const { id, api } = await newPerson(harness.server, 'Newcomer')
    const session = await api.post<AgentSession>('/api/practice')
    expect(session).toMatchObject({ ownerUserId: id })
    await api.delete(`/api/sessions/${session.id}`)
  })

  it('B1 a session’s files are those its agent changed, each once with its latest change', async () => {
    const session = await harness.start()
    const write = async (text: string, answer: Record<string, unknown>) => {
      const item = await harness.prompt(session, text)
      const ask = await harness.openAsk(session)
      await harness.answer(ask, answer)
      await harness.settled(item)
      return ask
    }
    await write('/write refused.txt no', { outcome: 'reject', reason: 'not this one' })
    expect(await files(session)).toEqual([])
    await write('/write a.txt one', { outcome: 'approve' })
    const other = await write('/write b.txt one', { outcome: 'approve' })
    const newest = await write('/edit a.txt one => two', { outcome: 'approve' })
    expect(await files(session)).toMatchObject([
      { path: 'a.txt', change: 'modified', added: 1, removed: 1, askId: newest.id },
      { path: 'b.txt', change: 'added', added: 1, removed: 0, askId: other.id },
    ])
    await harness.api.delete(`/api/sessions/${session.id}`)
  })

  it('A7 one stream has the whole log, and one session’s live text', async () => {
    const [session, other] = [await harness.start(), await harness.start()]
    expect((await harness.api.refused('GET', '/api/events?live=nonsense')).status).toBe(400)
    using stream = await openFrames(harness.api, `?live=${session.id}&looking=true`)
    await harness.say(other, '/say hello from there')
    await harness.say(session, '/say hello from here')
    const { messages } = await harness.api.get<{ messages: Message[] }>(`/api/sessions/${session.id}/conversation`)
    expect(messages.at(-1)?.content['text']).toContain('hello from here')
    const last = messages.at(-1)?.id ?? ''
    await until(() => stream.frames.some((frame) => frame.startsWith('id: ') && frame.includes(last)))
    const chunks = stream.frames.filter((frame) => frame.startsWith('event: message.chunk'))
    expect(chunks.length).toBeGreaterThan(0)
    for (const chunk of chunks) expect(chunk).toContain(session.id)
    // The other session's log events are still there.
    expect(stream.frames.some((frame) => frame.startsWith('id: ') && frame.includes(other.id))).toBe(true)
    for (const { id } of [session, other]) await harness.api.delete(`/api/sessions/${id}`)
  })

  it('A7 a stream sends no live text of a session the viewer may not see', async () => {
    const session = await harness.start()
    const { api } = await newMachineUser(harness.server, 'Eavesdropper')
    await using events = await openEvents(api, { query: `?live=${session.id}` })
    await harness.say(session, '/say a secret')
    const { id } = await api.post<{ id: string }>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: '/srv/x' })
    await events.first((event) => event.sessionId === id)
    expect(events.heard.filter((event) => event.sessionId !== id)).toEqual([])
    await harness.api.delete(`/api/sessions/${session.id}`)
  })
})

describe('the practice agent with a workspace root', () => {
  it('B1 the repo is created there, and a folder in the way is left alone', async () => {
    await using harness = await openAgentsHarness()
    const root = await harness.workspace()
    await harness.server.restart(`agent_workspace_root = ${JSON.stringify(root)}\n`)
    const session = await harness.server.api().post<AgentSession>('/api/practice')
    expect(session.workspaceRoot).toBe(join(root, 'signalbox-practice'))
    await harness.server.api().delete(`/api/sessions/${session.id}`)
    const taken = await harness.workspace()
    await mkdir(join(taken, 'signalbox-practice'))
    await harness.server.restart(`agent_workspace_root = ${JSON.stringify(taken)}\n`)
    expect(await harness.server.api().refused('POST', '/api/practice', {})).toMatchObject({ code: 'not_a_repo' })
    expect(await readdir(taken)).toEqual(['signalbox-practice'])
  })
})
