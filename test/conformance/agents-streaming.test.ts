import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { optionsOf } from '../support/api.ts'
import { usualDatabases } from '../support/server.ts'
import { until, within } from '../support/until.ts'
import { openAgentsHarness, toolsOf, type AgentsHarness } from './agents-harness.ts'
import { lookInto } from './look.ts'
import type { Message } from './shapes.ts'

type Frame = { event: string; id: string | null; data: Record<string, unknown> }
type Chunk = {
  sessionId: string
  messageId: string
  role: string
  type: string
  at: number
  text: string
  partial: boolean
}

/** Everything on one session's stream, frames without an id included. */
async function follow(harness: AgentsHarness, session: { id: string }) {
  const path = `/api/events?session=${session.id}`
  const call = request({ ...optionsOf(harness.api.place), path, headers: harness.api.headers, agent: false })
  const frames: Frame[] = []
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
      for (const part of parts) {
        const fields = new Map(part.split('\n').map((line) => [line.split(': ', 1)[0], line.replace(/^\w+: /, '')]))
        const data = fields.get('data')
        const event = fields.get('event')
        if (data && event) frames.push({ event, id: fields.get('id') ?? null, data: JSON.parse(data) })
      }
    })
  })
  call.end()
  await within(opened.promise, 'the stream')
  const chunks = () => frames.filter(({ event }) => event === 'message.chunk').map(({ data }) => data as Chunk)
  return { frames, chunks, [Symbol.dispose]: () => void call.destroy() }
}

const textOf = (chunks: Chunk[]) => chunks.map(({ text }) => text).join('')
const agentMessages = (messages: Message[]) => messages.filter(({ role }) => role === 'agent')

describe.each(usualDatabases)('streaming on %s', (database) => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness({ database })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('A7 chunks arrive live with partial true and their place, without an id; one message is stored at the end', async () => {
    const session = await harness.start()
    using stream = await follow(harness, session)
    const turn = await harness.prompt(session, '/say Grüße 🚦 \n/slow 60 10')
    await harness.settled(turn)
    const stored = agentMessages((await harness.detail(session)).messages)
    const text = String(stored[0]?.content['text'])
    await until(() => textOf(stream.chunks()).length >= text.length)
    const chunks = stream.chunks()
    // Simultaneous chunks may arrive together, but not all of them.
    expect(chunks.length).toBeGreaterThan(5)
    let before = 0
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({ sessionId: session.id, role: 'agent', type: 'text', at: before, partial: true })
      before += chunk.text.length
    }
    expect(textOf(chunks)).toBe(text)
    for (const { id, event } of stream.frames) expect([event, id === null]).toEqual([event, event === 'message.chunk'])
    expect(stored.map(({ id, content }) => [id, content])).toEqual([
      [chunks[0]?.messageId, { type: 'text', text, partial: false }],
    ])
    expect(text).toMatch(/^Grüße 🚦\nword-1 .* word-60$/)
    const told = () =>
      stream.frames.flatMap(({ event, data, id }) => {
        const of = data['data'] as { id?: string; partial?: boolean } | undefined
        return of?.id === stored[0]?.id
          ? [`${event}${of?.partial ? ', partial' : ''}${id === null ? ', no id' : ''}`]
          : []
      })
    // A slow machine stores it once, when it is complete.
    await until(() => told().some((kind) => !kind.includes('partial')))
    expect([['message.added, partial', 'message.completed'], ['message.added']]).toContainEqual(told())
  })

  it('A7 a viewer that joins mid-stream gets the whole text', async () => {
    const session = await harness.start()
    using early = await follow(harness, session)
    const turn = await harness.prompt(session, '/slow 150 4')
    for (const from of ['word-5 ', 'word-40 ', 'word-90 ']) {
      await until(() => textOf(early.chunks()).includes(from))
      using late = await follow(harness, session)
      const [seen] = agentMessages(await harness.api.get<Message[]>(`/api/sessions/${session.id}/messages`))
      expect(seen?.content).toMatchObject({ type: 'text', partial: true })
      await until(() => late.chunks().length > 3)
      let text = String(seen?.content['text'])
      for (const { at, text: more, messageId } of late.chunks()) {
        expect([messageId, at <= text.length]).toEqual([seen?.id, true])
        text = text.slice(0, at) + more
      }
      await until(() => textOf(early.chunks()).length >= text.length)
      expect(textOf(early.chunks()).startsWith(text)).toBe(true)
    }
    await harness.settled(turn)
    const [stored] = agentMessages((await harness.detail(session)).messages)
    await until(() => textOf(early.chunks()).length >= String(stored?.content['text']).length)
    expect(textOf(early.chunks())).toBe(stored?.content['text'])
    expect(stored?.content['text']).toBe(Array.from({ length: 150 }, (_, n) => `word-${n + 1}`).join(' '))
  })

  it('A7 the open message is stored as partial, in place, and not for every chunk', async () => {
    const session = await harness.start()
    await using look = await lookInto(harness.server)
    const began = Date.now()
    const turn = await harness.prompt(session, '/slow 400 3')
    const versions = new Set<string>()
    let ids = new Set<string>()
    for (;;) {
      const rows = await look.rows<{ id: string; content: string }>(
        "select id, content from messages where session_id = ? and role = 'agent'",
        session.id,
      )
      ids = new Set([...ids, ...rows.map(({ id }) => id)])
      const content = rows[0] && (JSON.parse(rows[0].content) as { text: string; partial: boolean })
      if (content?.partial === false) break
      if (content) versions.add(content.text)
    }
    await harness.settled(turn)
    expect(ids.size).toBe(1)
    expect(versions.size).toBeGreaterThanOrEqual(2)
    // Written every 250 ms.
    expect(versions.size).toBeLessThanOrEqual((Date.now() - began) / 250 + 1)
  })

  it('A7 a tool call is one message, updated in place; so is a plan', async () => {
    const session = await harness.start()
    using stream = await follow(harness, session)
    await harness.prompt(session, '/plan look; change\n/run echo done')
    const ask = await harness.openAsk(session)
    const during = (await harness.detail(session)).messages
    expect(toolsOf(during)).toMatchObject([{ title: 'Run echo done', status: 'pending' }])
    await harness.answer(ask, { outcome: 'approve' })
    await harness.saying(session, 'run echo done: done')
    const { messages } = await harness.detail(session)
    const tool = messages.find(({ content }) => content['type'] === 'tool')
    expect(tool).toMatchObject({
      id: during.find(({ content }) => content['type'] === 'tool')?.id,
      role: 'system',
      content: {
        tool: 'execute',
        kind: 'execute',
        title: 'Run echo done',
        status: 'completed',
        args: { command: 'echo done' },
        result: { exitCode: 0 },
        content: [{ type: 'content', content: { type: 'text', text: 'done' } }],
      },
    })
    const plan = messages.find(({ content }) => content['type'] === 'plan')
    expect([plan?.role, plan?.content]).toEqual([
      'system',
      {
        type: 'plan',
        steps: [
          { content: 'look', priority: 'high', status: 'completed' },
          { content: 'change', priority: 'medium', status: 'completed' },
        ],
      },
    ])
    await until(() => stream.frames.some(({ event }) => event === 'message.completed'))
    const updates = (id: string | undefined) =>
      stream.frames.flatMap(({ event, data }) =>
        event === 'message.updated' && data['messageId'] === id ? [data['content'] as Record<string, unknown>] : [],
      )
    expect(updates(tool?.id).map(({ status }) => status)).toEqual(
      expect.arrayContaining(['pending', 'in_progress', 'completed']),
    )
    expect(updates(plan?.id).length).toBeGreaterThanOrEqual(3)
    expect(messages.map(({ content }) => content['type'])).toEqual(['text', 'plan', 'tool', 'text'])
  })

  it('A7 a thought is a separate system message, streamed like text', async () => {
    const session = await harness.start()
    using stream = await follow(harness, session)
    await harness.say(session, '/think Hm.\n/say So.\n/think Hm again.')
    const { messages } = await harness.detail(session)
    expect(messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['system', { type: 'thought', text: 'Hm.', partial: false }],
      ['agent', { type: 'text', text: 'So.', partial: false }],
      ['system', { type: 'thought', text: 'Hm again.', partial: false }],
    ])
    await until(() => textOf(stream.chunks()).endsWith('again.'))
    expect(stream.chunks().map(({ role, type, text }) => [role, type, text])).toEqual([
      ['system', 'thought', 'Hm.'],
      ['agent', 'text', 'So.'],
      ['system', 'thought', 'Hm again.'],
    ])
  })

  it('A7 fast output is stored completely and in order', async () => {
    const session = await harness.start()
    const said = await harness.say(session, '/chunks 3000')
    expect(said).toBe(Array.from({ length: 3000 }, (_, n) => `${n + 1} `).join(''))
    expect(agentMessages((await harness.detail(session)).messages)).toHaveLength(1)
  })

  it('A7 after a crash midway the text so far is kept as partial', async () => {
    const session = await harness.start()
    await harness.prompt(session, '/say So far so good.\n/crash 3')
    const { messages } = await harness.become(session, 'error')
    expect(agentMessages(messages).map(({ content }) => content)).toEqual([
      { type: 'text', text: 'So far so good.', partial: true },
    ])
  })

  it('A7 content is an object in REST and JSON text in the database', async () => {
    const session = await harness.start()
    await harness.say(session, '/say Hello.')
    await using look = await lookInto(harness.server)
    const rows = await look.rows<{ role: string; content: unknown }>(
      'select role, content from messages where session_id = ? order by timestamp, seq',
      session.id,
    )
    expect(rows.map(({ role, content }) => [role, typeof content, JSON.parse(String(content))])).toEqual([
      ['user', 'string', { type: 'text', text: '/say Hello.' }],
      ['agent', 'string', { type: 'text', text: 'Hello.', partial: false }],
    ])
  })
})
