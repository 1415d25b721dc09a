import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { socketPath } from '../../lib/socket-path.ts'
import type { Asked, Keyboard } from '../keyboard.ts'
import { plain, type Output } from '../output.ts'
import { execute } from '../run.ts'

const id = '1f0c3a7e-0000-4000-8000-000000000001'
const session = {
  id,
  status: 'active',
  agent: 'practice',
  protocolMode: 'acp',
  workspaceRoot: '/w',
  isolation: 'sandbox',
  messages: [] as object[],
  queue: [],
}
const ask = {
  id: '0199c2d4-1111-7000-8000-000000000001',
  sessionId: id,
  title: 'Write a.txt',
  kind: 'permission',
  riskLevel: 'low',
  status: 'open',
  description: null,
  needed: 1,
  votes: [],
  subject: {
    kind: 'permission',
    toolCall: {
      toolCallId: 'c',
      title: 'Write a.txt',
      content: [{ type: 'diff', path: '/w/a.txt', oldText: null, newText: 'hello\n' }],
    },
    options: [
      { optionId: 'once', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Reject', kind: 'reject_once' },
    ],
  },
}

type Call = { method: string; path: string; body: unknown }

/** The far side: a session whose state a test changes as it likes. */
function farSide() {
  const calls: Call[] = []
  const state = {
    messages: [] as object[],
    items: [] as { id: string; status: string }[],
    asks: [] as object[],
    diagnosis: { cause: 'idle', since: null, detail: 'The turn is over; it waits for a prompt.', hint: null },
  }
  const readers = new Set<ServerResponse>()
  /** Told when the open asks are read, which is the last of what is looked at first. */
  const whenRead: (() => void)[] = []
  let cursor = 0
  const replies: Record<string, (body: unknown) => unknown> = {
    [`GET /api/sessions/${id}`]: () => ({ ...session, messages: state.messages }),
    [`GET /api/sessions/${id}/messages`]: () => state.messages,
    [`GET /api/sessions/${id}/queue`]: () => ({ items: state.items }),
    [`GET /api/sessions/${id}/diagnosis`]: () => state.diagnosis,
    'GET /api/asks': () => {
      for (const resolve of whenRead.splice(0)) resolve()
      return { asks: state.asks, next: null }
    },
    'GET /api/agents': () => ({ agents: [{ name: 'practice' }] }),
    'POST /api/sessions': () => session,
    [`POST /api/sessions/${id}/turn/cancel`]: () => ({ cancelled: true }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url?.split('?')[0] ?? ''
    const body: unknown = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : null
    calls.push({ method: request.method ?? '', path, body })
    if (path === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': here\n\n')
      readers.add(response)
      return
    }
    const reply = replies[`${request.method} ${path}`]?.(body)
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply ?? { error: { code: 'not_found', message: `Nothing at ${path}.` } }))
  }
  const server = createServer((request, response) => void answer(request, response))
  const send = (text: string) => {
    for (const reader of readers) reader.write(text)
  }
  return {
    server,
    calls,
    state,
    replies,
    whenRead,
    live: (type: string, data: object) => send(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
    event(type: string, data: object) {
      cursor += 1
      send(`id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify({ cursor: String(cursor), type, data })}\n\n`)
    },
    hangUp() {
      for (const reader of readers) reader.destroy()
      readers.clear()
    },
    /** The agent has done what it was told. */
    endTurn() {
      for (const item of state.items) item.status = 'delivered'
      this.event('queue.delivered', { id: 'q', sessionId: id })
    },
  }
}

let home = ''
let far: ReturnType<typeof farSide>
let server: Server

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  far = farSide()
  server = far.server
  far.state.items = [{ id: 'q', status: 'sent' }]
  const path = socketPath(home, 'signalbox')
  mkdirSync(dirname(path), { recursive: true })
  await new Promise<void>((resolve) => void server.listen(path, resolve))
})
afterEach(async () => {
  far.hangUp()
  server.closeAllConnections()
  await new Promise((resolve) => void server.close(resolve))
  rmSync(home, { recursive: true, force: true })
})

type Answering = (question: string, asked: Asked) => string | null | Promise<string | null>

/** Runs a command beside a script that reacts to what is printed. */
function run(argv: string[], answering: Answering | null = null) {
  let out = ''
  let err = ''
  let bell = Promise.withResolvers<void>()
  const ring = () => {
    bell.resolve()
    bell = Promise.withResolvers()
  }
  const write = (text: string) => {
    out += text
    ring()
  }
  const output: Output = {
    print: (text) => write(`${text}\n`),
    write: async (text) => write(text),
    note(text) {
      err += `${text}\n`
      ring()
    },
    json: (value) => write(`${JSON.stringify(value)}\n`),
    width: Number.POSITIVE_INFINITY,
    paint: plain,
  }
  let press = () => {}
  const watching = new Promise<void>((resolve) => far.whenRead.push(resolve))
  const keyboard: Keyboard | null = answering && {
    ask: async (question, asked) => ({ line: await answering(question, asked), typed: '' }),
  }
  const done = execute(argv, {
    parts: { version: '1', serve: async () => 0, maintenance: () => Promise.reject(new Error('not here')) },
    out: output,
    env: { SIGNALBOX_HOME: home },
    now: () => 0,
    interrupted: () => new AbortController().signal,
    interrupts(listener) {
      press = listener
      return { [Symbol.dispose]() {} }
    },
    keyboard,
  })
  return {
    done: done.then((code) => ({ code, out, err })),
    press: () => press(),
    /** Everything there was is shown, and what comes is heard. */
    watching,
    /** Until this stands on standard output or beside it. */
    async until(text: string) {
      while (!(out + err).includes(text)) await bell.promise
    },
  }
}

const text = (messageId: string, words: string, partial: boolean) => ({
  id: messageId,
  sessionId: id,
  role: 'agent',
  content: { type: 'text', text: words, partial },
  timestamp: '2026-06-15T12:00:00.000Z',
})
const chunk = (at: number, words: string) => ({
  sessionId: id,
  messageId: 'm',
  role: 'agent',
  type: 'text',
  at,
  text: words,
})

describe('attaching to a session', () => {
  it('joins in the middle of a text, and shows the same as who was there from the start', async () => {
    far.state.messages = [text('m', 'One two', true)]
    const session = run(['attach', id])
    await session.until('One two')
    far.live('message.chunk', chunk(4, 'two three'))
    await session.until('three')
    far.state.messages = [text('m', 'One two three four five', true)]
    far.live('message.chunk', chunk(18, ' five'))
    await session.until('five')
    far.state.messages = [text('m', 'One two three four five six', false)]
    far.event('message.completed', { id: 'm', sessionId: id })
    far.endTurn()
    expect(await session.done).toMatchObject({ code: 0, out: 'One two three four five six\n' })
  })

  it('goes on after the connection was lost, without a word twice', async () => {
    far.state.messages = [text('m', 'One', true)]
    const session = run(['attach', id])
    await session.until('One')
    far.state.messages = [text('m', 'One two', true)]
    far.hangUp()
    await session.until('two')
    far.endTurn()
    const { out, err } = await session.done
    expect(out).toBe('One two\n')
    expect(err).toContain('Trying again in 1 s.')
  })

  it('shows the last messages, and says where the earlier ones are', async () => {
    far.state.items = []
    far.state.messages = Array.from({ length: 12 }, (_, index) => text(`m${index}`, `Message ${index}.`, false))
    const { out, err } = await run(['attach', id]).done
    expect(out).not.toContain('Message 1.')
    expect(out).toContain('Message 2.')
    expect(err).toContain('… 2 earlier messages: signalbox logs 1f0c3a7e')
  })
})

describe('a session without a terminal', () => {
  it('ends with 8 where it waits for an answer, and says how to give it', async () => {
    far.state.asks = [ask]
    const { code, err } = await run(['start', '--workspace', '/w', 'practice', 'do', 'it']).done
    expect(code).toBe(8)
    expect(err).toContain(`signalbox answer ${ask.id} select once  # Allow`)
    expect(err.trimEnd().split('\n').at(-1)).toBe(`Waits for ask ${ask.id}.`)
    expect(far.calls.find(({ method, path }) => method === 'POST' && path === '/api/sessions')?.body).toEqual({
      agent: 'practice',
      prompt: 'do it',
      workspaceRoot: '/w',
    })
  })

  it('ends with 1 where the turn failed or somebody cancelled it', async () => {
    far.state.diagnosis.detail = 'The last turn failed: no more tokens'
    const failing = run(['attach', id])
    await failing.watching
    far.endTurn()
    expect(await failing.done).toMatchObject({ code: 1, err: expect.stringContaining('no more tokens') })
    far.state.items = [{ id: 'q', status: 'sent' }]
    const cancelled = run(['attach', id])
    await cancelled.watching
    far.event('session.steered', { id, what: 'cancel_turn', detail: null })
    far.endTurn()
    expect(await cancelled.done).toMatchObject({ code: 1, err: expect.stringContaining('The turn was cancelled.') })
  })

  it('ends with the session', async () => {
    const session = run(['attach', id])
    await session.watching
    far.event('session.status_changed', { id, to: 'error', reason: 'the agent crashed' })
    const { code, err } = await session.done
    expect(code).toBe(1)
    expect(err).toContain('Session 1f0c3a7e is error: the agent crashed.')
    expect(err).toContain('signalbox logs --stderr 1f0c3a7e')
  })

  it('prints a line of JSON for each thing that happens', async () => {
    far.state.messages = [text('m', 'One', true)]
    const session = run(['attach', id, '--json'])
    await session.watching
    far.live('message.chunk', chunk(3, ' two'))
    far.endTurn()
    const { code, out } = await session.done
    const types = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect([code, types]).toEqual([0, ['session', 'message', 'message.chunk', 'queue.delivered', 'outcome']])
  })
})

describe('a session at a terminal', () => {
  it('answers an ask in place, then takes the next prompt, and leaves at an empty line', async () => {
    far.state.asks = [ask]
    far.replies[`POST /api/asks/${ask.id}/answer`] = () => {
      far.state.asks = []
      far.event('ask.answered', { id: ask.id })
      far.endTurn()
      return { ...ask, status: 'answered' }
    }
    far.replies[`POST /api/sessions/${id}/prompt`] = () => {
      far.state.messages = [text('m', 'Done again.', false)]
      return { id: 'r', status: 'delivered', position: 0 }
    }
    const lines = ['what?', 'y', 'once more', '']
    const questions: string[] = []
    const { code, out, err } = await run(['attach', id], (question) => {
      questions.push(question.trim())
      return lines.shift() ?? null
    }).done
    expect(questions).toEqual(['y/n:', 'y/n:', '›', '›'])
    expect(out).toContain('? Write a.txt\n/w/a.txt (new)\n@@ -0,0 +1,1 @@\n+hello\n\n  [y] Allow\n  [n] Reject\n')
    expect(out).toContain('Done again.')
    expect(far.calls.flatMap(({ path, body }) => (path.endsWith('/answer') ? [body] : []))).toEqual([
      { outcome: 'select', optionId: 'once', reason: null },
    ])
    expect([code, err]).toEqual([0, expect.stringContaining('Look again: signalbox attach 1f0c3a7e')])
  })

  it('takes the question away when somebody else answers', async () => {
    far.state.asks = [ask]
    const session = run(['attach', id], async (_question, { signal }) => {
      if (far.state.asks.length === 0) return null
      far.state.asks = []
      far.event('ask.answered', { id: ask.id })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      far.endTurn()
      return null
    })
    const { code, err } = await session.done
    expect([code, err]).toEqual([0, expect.stringContaining('answered or withdrawn already')])
  })

  it('cancels the turn at the first Ctrl-C, and leaves at the second', async () => {
    const session = run(['attach', id], () => null)
    await session.watching
    session.press()
    await session.until('Cancelling the turn.')
    session.press()
    const { code, err } = await session.done
    expect([code, err]).toEqual([0, expect.stringContaining('it goes on')])
    expect(far.calls.some(({ path }) => path.endsWith('/turn/cancel'))).toBe(true)
  })
})

describe('the words after start', () => {
  it('name an agent only where there is one', async () => {
    const { code, err } = await run(['start', '--workspace', '/w', 'practise', 'go']).done
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean practice?')])
    far.state.items = []
    await run(['start', '--workspace', '/w', 'fix', 'the', 'bug']).done
    await run(['start', '--workspace', '/w', '--detach', 'practice']).done
    const bodies = far.calls.flatMap(({ method, path, body }) =>
      method === 'POST' && path === '/api/sessions' ? [body] : [],
    )
    expect(bodies).toEqual([
      { workspaceRoot: '/w', prompt: 'fix the bug' },
      { workspaceRoot: '/w', agent: 'practice' },
    ])
  })

  it('say what is wrong with a budget', async () => {
    expect(await run(['start', '--budget', 'lots', 'go']).done).toMatchObject({ code: 2 })
  })
})
