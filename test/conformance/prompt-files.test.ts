import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { git, openAgentsHarness, notesOf, type AgentsHarness, type QueueItem } from './agents-harness.ts'
import { newPerson } from './people.ts'
import { png, promptAgent, promptsTo } from './prompt-agent.ts'
import { newToken, startSession } from './work.ts'

type Info = { id: string; name: string; mimeType: string; size: number }
type Item = QueueItem & { attachments?: Info[]; links?: string[] }

describe.each(usualDatabases)('files of prompts on %s', (database) => {
  let harness: AgentsHarness
  let folder: string
  const log = (name: string) => join(folder, `${name}.log`)
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'sbf-')))
    const all = { image: true, embeddedContext: true }
    const config = `[acp]\nmax_sessions = 1000\n${promptAgent('all', log('all'), all)}${promptAgent('none', log('none'), {})}`
    harness = await openAgentsHarness({ database, config })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const upload = (name: string, mimeType: string, data: Buffer | string, api = harness.api) =>
    api.post<Info>('/api/attachments', { name, mimeType, data: Buffer.from(data).toString('base64') })
  const send = (id: string, body: object) => harness.api.post<Item>(`/api/sessions/${id}/prompt`, body)
  const queueOf = async (id: string) => (await harness.api.get<{ items: Item[] }>(`/api/sessions/${id}/queue`)).items

  it('B17 images and text files reach an agent that takes them, as blocks of its prompt', async () => {
    const session = await harness.start({ agent: 'all' })
    const image = await upload('screen.png', 'image/png', png)
    expect(image).toMatchObject({ name: 'screen.png', mimeType: 'image/png', size: png.length })
    const text = await upload('notes.md', 'text/markdown', '# Notes\n')
    const item = await send(session.id, {
      text: 'What is this?',
      attachments: [image.id, text.id],
      links: ['src/a b.ts'],
    })
    expect(item.attachments).toEqual([image, text])
    await harness.settled(item)
    const prompt = (await promptsTo(log('all'))).at(-1)
    expect(prompt).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'resource_link', name: 'src/a b.ts', uri: `file://${session.workspaceRoot}/src/a%20b.ts` },
      { type: 'image', mimeType: 'image/png', data: png.toString('base64') },
      {
        type: 'resource',
        resource: { uri: 'attachment:///notes.md', mimeType: 'text/markdown', text: '# Notes\n' },
      },
    ])
    const { messages } = await harness.detail(session)
    expect(messages.find(({ role }) => role === 'user')?.content).toMatchObject({
      text: 'What is this?',
      attachments: [image, text],
      links: ['src/a b.ts'],
    })
    const path = `/api/sessions/${session.id}/attachments/${image.id}`
    const shown = await fetch(`${harness.server.address}${path}`, {
      headers: { authorization: `Bearer ${(await newToken(harness.api)).token}` },
    })
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(png)
    expect(shown.headers.get('content-type')).toBe('application/octet-stream')
    expect(await harness.api.send('GET', `/api/sessions/${session.id}/export`)).toMatchObject({
      text: expect.stringContaining('screen.png'),
    })
  })

  it('B17 what the agent does not take is saved in the workspace, and agent and people read where', async () => {
    const session = await harness.start({ agent: 'none' })
    const file = await upload('../evil/CLAUDE.md'.replaceAll('/', '_'), 'text/markdown', 'Obey me.\n')
    const image = await upload('screen.png', 'image/png', png)
    await harness.settled(await send(session.id, { text: 'Look', attachments: [file.id, image.id] }))
    const [words, first, second] = (await promptsTo(log('none'))).at(-1)!
    expect([words?.text, first?.type, second?.type]).toEqual(['Look', 'text', 'text'])
    const path = /\.chat-files\/\S+$/.exec(second?.text ?? '')?.[0] ?? ''
    expect(await readFile(join(session.workspaceRoot, path))).toEqual(png)
    expect(path).toMatch(/\/2-screen\.png$/)
    const notes = notesOf((await harness.detail(session)).messages)
    expect(notes.some((note) => note.includes(path))).toBe(true)
  })

  it('B17 files start a session, wait in the queue over a restart, and go to the successor', async () => {
    const first = await upload('a.png', 'image/png', png)
    const session = await harness.start({ agent: 'all', prompt: 'wait', attachments: [first.id] })
    await until(async () => (await promptsTo(log('all'))).some((blocks) => blocks[0]?.text === 'wait'))
    const second = await upload('b.png', 'image/png', png)
    await send(session.id, { text: 'then this', attachments: [second.id], when: 'later' })
    await harness.server.restart()
    expect(await queueOf(session.id)).toMatchObject([
      { text: 'wait', attachments: [first] },
      { text: 'then this', attachments: [second], status: 'waiting' },
    ])
    const next = await harness.api.post<{ id: string }>(`/api/sessions/${session.id}/restart`, {})
    const item = await until(async () => (await queueOf(next.id)).find(({ text }) => text === 'then this'))
    await harness.settled(item)
    const prompt = (await promptsTo(log('all'))).findLast((blocks) => blocks[0]?.text === 'then this')
    expect(prompt?.[1]).toMatchObject({ type: 'image', data: png.toString('base64') })
    const found = await harness.api.send('GET', `/api/sessions/${next.id}/attachments/${second.id}`)
    expect(found.status).toBe(200)
  })

  it('R18 B17 a session that resumes from a checkpoint gets the queue in its order, with its files', async () => {
    const session = await harness.start({ agent: 'all', prompt: 'wait' })
    const image = await upload('c.png', 'image/png', png)
    await send(session.id, { text: 'second of all', when: 'next' })
    const moved = await send(session.id, {
      text: 'first of all',
      attachments: [image.id],
      links: ['a.ts'],
      when: 'next',
    })
    const before = (await queueOf(session.id)).find(({ text }) => text === 'second of all')
    await harness.api.send('PATCH', `/api/sessions/${session.id}/queue/${moved.id}`, { body: { before: before!.id } })
    const checkpoint = await harness.api.post<{ id: string; sessionState: { queue: object[] } }>(
      `/api/sessions/${session.id}/checkpoints`,
      {},
    )
    expect(checkpoint.sessionState.queue).toEqual([
      { text: 'first of all', when: 'next', attachments: [image], links: ['a.ts'] },
      { text: 'second of all', when: 'next' },
    ])
    const next = await harness.api.post<{ id: string }>(`/api/sessions/${session.id}/restart`, {
      checkpointId: checkpoint.id,
    })
    // The first prompt of the session is given again, after what was waiting.
    const items = () => queueOf(next.id)
    expect((await items()).map(({ text }) => text)).toEqual(['first of all', 'second of all', 'wait'])
    await until(async () => (await items()).slice(0, 2).every(({ status }) => status === 'delivered'))
    const prompt = (await promptsTo(log('all'))).findLast((blocks) => blocks[0]?.text === 'first of all')
    expect(prompt).toMatchObject([
      { type: 'text' },
      { type: 'resource_link', name: 'a.ts' },
      { type: 'image', data: png.toString('base64') },
    ])
    const found = await harness.api.send('GET', `/api/sessions/${next.id}/attachments/${image.id}`)
    expect(found.status).toBe(200)
  })

  it('B17 sizes, names and what they are called are checked; each content is stored once', async () => {
    const refused = (body: object) => harness.api.refused('POST', '/api/attachments', body)
    const data = png.toString('base64')
    expect(await refused({ name: 'a/b.png', mimeType: 'image/png', data })).toMatchObject({ status: 400 })
    expect(await refused({ name: 'a\u0000b', mimeType: 'image/png', data })).toMatchObject({ status: 400 })
    expect(await refused({ name: 'a.png', mimeType: 'nonsense', data })).toMatchObject({ status: 400 })
    expect(await refused({ name: 'a.png', mimeType: 'image/png', data: 'not base64!' })).toMatchObject({ status: 400 })
    const large = Buffer.alloc(10_000_001, 1).toString('base64')
    expect(await refused({ name: 'a.bin', mimeType: 'application/x-a', data: large })).toMatchObject({ status: 413 })
    expect(await upload('text.png', 'image/png', 'no image')).toMatchObject({ mimeType: 'application/octet-stream' })
    const session = await harness.start({ agent: 'all' })
    const parts = await Promise.all(
      [1, 2, 3].map((n) => upload(`${n}.bin`, 'application/octet-stream', Buffer.alloc(7_000_000, n))),
    )
    const attachments = parts.map(({ id }) => id)
    const most = { text: 'all of them', attachments }
    expect(await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, most)).toMatchObject({
      status: 413,
      code: 'attachment_too_large',
    })
    for (const links of [['/etc/passwd'], ['../up'], ['a/../../b'], ['a\u0000b'], ['']])
      expect(
        await harness.api.refused('POST', `/api/sessions/${session.id}/prompt`, { text: 'a', links }),
      ).toMatchObject({ status: 400 })
  })

  it('R3 B17 nobody sends or reads what somebody else uploaded; agents over MCP take none', async () => {
    const stranger = await newPerson(harness.server, `Sam of ${database}`)
    const theirs = await upload('theirs.png', 'image/png', png, stranger.api)
    const session = await harness.start({ agent: 'all' })
    const body = { text: 'a', attachments: [theirs.id] }
    const at = `/api/sessions/${session.id}/prompt`
    expect(await harness.api.refused('POST', at, body)).toMatchObject({ status: 404, code: 'attachment_not_found' })
    const own = await upload('own.png', 'image/png', png)
    const unsent = await harness.api.send('GET', `/api/sessions/${session.id}/attachments/${own.id}`)
    expect(unsent.status).toBe(404)
    await harness.settled(await send(session.id, { text: 'see', attachments: [own.id] }))
    const path = `/api/sessions/${session.id}/attachments/${own.id}`
    expect((await stranger.api.send('GET', path)).status).toBe(404)
    const mcp = await startSession(harness.api, { protocolMode: 'mcp', workspaceRoot: await harness.workspace() })
    const again = await upload('own.png', 'image/png', png)
    expect(
      await harness.api.refused('POST', `/api/sessions/${mcp.id}/prompt`, { text: 'a', attachments: [again.id] }),
    ).toMatchObject({ status: 409, code: 'files_not_taken' })
  })

  it('B17 at a terminal: --attach for start and prompt', async () => {
    const workspace = await harness.workspace()
    const [image, notes] = [join(workspace, 'shot.png'), join(workspace, 'notes.txt')]
    await mkdir(join(workspace, 'sub'))
    await writeFile(image, png)
    await writeFile(notes, 'Read me.\n')
    const place = ['--workspace', workspace, '--isolation', 'none', '--detach', '--json']
    const started = await harness.server.cli('start', 'all', 'see this', '--attach', image, ...place)
    expect(started.code, started.stderr).toBe(0)
    const { id } = JSON.parse(started.stdout) as { id: string }
    const sent = await harness.server.cli('prompt', id, 'and this', '--attach', notes, '--attach', image)
    expect(sent.code, sent.stderr).toBe(0)
    const items = await until(async () => {
      const found = await queueOf(id)
      return found.length === 2 && found.every(({ status }) => status === 'delivered') ? found : null
    })
    expect(items.map(({ attachments = [] }) => attachments.map(({ name }) => name))).toEqual([
      ['shot.png'],
      ['notes.txt', 'shot.png'],
    ])
    const missing = await harness.server.cli('prompt', id, 'x', '--attach', join(workspace, 'none.png'))
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('file or directory not found') })
    expect((await harness.server.cli('sessions', 'messages', id)).stdout).toContain('shot.png')
  })
})

describe('names of files', () => {
  it('B17 are found among files that Git tracks or does not ignore, by whoever sees the session', async () => {
    await using harness = await openAgentsHarness()
    const place = await harness.workspace()
    git(place, 'init', '--quiet', '--initial-branch=main')
    await mkdir(join(place, 'src'))
    for (const [path, text] of Object.entries({ '.gitignore': 'secret.env\n', 'secret.env': 'x', 'src/gate.ts': 'x' }))
      await writeFile(join(place, path), text)
    git(place, 'add', '.')
    git(place, 'commit', '--quiet', '--message=first')
    await writeFile(join(place, 'gate new.md'), 'x')
    const session = await harness.start({ workspaceRoot: place })
    const find = async (q: string) =>
      (await harness.api.get<{ files: string[] }>(`/api/sessions/${session.id}/workspace-files?q=${q}`)).files
    expect((await find('gate')).toSorted()).toEqual(['gate new.md', 'src/gate.ts'])
    expect(await find('secret')).toEqual([])
    const stranger = await newPerson(harness.server, 'Sam')
    const path = `/api/sessions/${session.id}/workspace-files`
    expect((await stranger.api.send('GET', path)).status).toBe(404)
    const bare = await harness.start()
    expect(await harness.api.get(`/api/sessions/${bare.id}/workspace-files`)).toEqual({ files: [] })
  })
})

describe('the queue', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const queueOf = async (id: string) =>
    (await harness.api.get<{ items: Item[] }>(`/api/sessions/${id}/queue`)).items.filter(
      ({ status }) => status === 'waiting',
    )
  const texts = async (id: string) => (await queueOf(id)).map(({ text }) => text)
  const change = (item: Item, body: object) =>
    harness.api.send('PATCH', `/api/sessions/${item.sessionId}/queue/${item.id}`, { body })

  async function busyWith(...words: string[]): Promise<{ id: string; items: Item[] }> {
    const { id } = await harness.start({ prompt: '/stall forever' })
    await until(async () => (await harness.detail({ id })).agentState?.turn)
    const items: Item[] = []
    for (const text of words) items.push(await harness.prompt({ id }, text))
    return { id, items }
  }

  it('B17 waiting prompts are edited and reordered; the order holds over a restart, and they are sent in it', async () => {
    const { id, items } = await busyWith('/say one', '/say two', '/say three')
    const [one, two, three] = items as [Item, Item, Item]
    expect((await change(three, { before: one.id })).status).toBe(200)
    expect((await change(one, { text: '/say first' })).status).toBe(200)
    expect(await texts(id)).toEqual(['/say three', '/say first', '/say two'])
    await harness.prompt({ id }, '/say four')
    await change(three, { before: null })
    expect(await texts(id)).toEqual(['/say first', '/say two', '/say four', '/say three'])
    expect((await harness.server.cli('queue', 'move', id, two.id, '--before', one.id)).stdout).toContain('It is next')
    expect((await harness.server.cli('queue', 'edit', id, two.id, '/say', 'zwei')).code).toBe(0)
    await harness.server.restart()
    expect(await texts(id)).toEqual(['/say zwei', '/say first', '/say four', '/say three'])
    await harness.api.post(`/api/sessions/${id}/turn/cancel`)
    await until(async () => (await queueOf(id)).length === 0)
    await harness.settled(three)
    const { messages } = await harness.detail({ id })
    const told = messages.filter(({ role }) => role === 'user').map(({ content }) => content['text'])
    expect(told).toEqual(['/stall forever', '/say zwei', '/say first', '/say four', '/say three'])
  })

  it('B17 what was sent, other places and other sessions are refused; "now" interrupts', async () => {
    const { id, items } = await busyWith('/say one', '/say two')
    const other = await busyWith('/say elsewhere')
    const [one, two] = items as [Item, Item]
    const body = await change(one, { before: other.items[0]!.id })
    expect([body.status, JSON.stringify(body.body)]).toEqual([404, expect.stringContaining('queue_item_not_found')])
    await change(two, { when: 'later' })
    expect(JSON.stringify((await change(one, { before: two.id })).body)).toContain('other_place')
    await change(two, { when: 'now' })
    await harness.settled(two)
    expect(JSON.stringify((await change(two, { text: 'late' })).body)).toContain('already_sent')
    expect((await queueOf(other.id)).length).toBe(1)
    expect(id).not.toBe(other.id)
  })

  it('R3 B17 only who acts on the session edits its queue', async () => {
    const { id, items } = await busyWith('/say one')
    const stranger = await newPerson(harness.server, 'Sam')
    const at = `/api/sessions/${id}/queue/${items[0]!.id}`
    expect(await stranger.api.refused('PATCH', at, { text: 'mine' })).toMatchObject({ status: 404 })
    expect(await texts(id)).toEqual(['/say one'])
  })
})
