import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { socketPath } from '../../lib/socket-path.ts'
import type { QuestionOptions, Keyboard } from '../keyboard.ts'
import { plain, type Output, type Paint } from '../output.ts'
import { execute } from '../run.ts'
import { anyJson, ownJson } from '../../lib/parse-json.ts'

export const id = '1f0c3a7e-0000-4000-8000-000000000001'
export const session = {
  id,
  status: 'active',
  agent: 'practice',
  protocolMode: 'acp',
  workspaceRoot: '/w',
  isolation: 'sandbox',
  messages: [] as object[],
  queue: [],
}
export const ask = {
  id: '0199c2d4-1111-7000-8000-000000000001',
  sessionId: id,
  title: 'Write a.txt',
  kind: 'permission',
  riskLevel: 'low',
  claimedRisk: 'low',
  judgedRisk: 'low',
  riskReasons: [],
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

/** A fake server with one session, whose state a test changes. */
function createFakeServer() {
  const calls: Call[] = []
  const state = {
    messages: [] as object[],
    items: [] as { id: string; status: string }[],
    asks: [] as object[],
    diagnosis: { cause: 'idle', since: null, detail: 'The turn has ended; it is waiting for a prompt.', hint: null },
  }
  const readers = new Set<ServerResponse>()
  /** If set, all POST requests are refused with this. */
  const refusal: { now: { status: number; error: object } | null } = { now: null }
  /** Called when the open asks are read, the last request at the start. */
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
    'GET /api/repos': () => ({ repos: [] }),
    'GET /api/users': () => ({ users: [{ id: 'u-1', displayName: 'Ann' }] }),
    'POST /api/sessions': () => session,
    [`POST /api/sessions/${id}/turn/cancel`]: () => ({ cancelled: true }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url?.split('?')[0] ?? ''
    const body = chunks.length > 0 ? ownJson(Buffer.concat(chunks).toString(), 'The request', anyJson) : null
    calls.push({ method: request.method ?? '', path, body })
    if (refusal.now && request.method === 'POST') {
      response.writeHead(refusal.now.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ error: refusal.now.error }))
    }
    if (path === '/api/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': here\n\n')
      readers.add(response)
      return
    }
    let reply: unknown
    try {
      reply = replies[`${request.method} ${path}`]?.(body)
    } catch {
      // Like a server that stops in the middle.
      return void request.socket.destroy()
    }
    response.writeHead(reply === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply ?? { error: { code: 'not_found', message: `Not found: ${path}.` } }))
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
    refusal,
    live: (type: string, data: object) => send(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`),
    event(type: string, data: object) {
      cursor += 1
      send(`id: ${cursor}\nevent: ${type}\ndata: ${JSON.stringify({ cursor: String(cursor), type, data })}\n\n`)
    },
    hangUp() {
      for (const reader of readers) reader.destroy()
      readers.clear()
    },
    /** The agent has finished its turn. */
    endTurn() {
      for (const item of state.items) item.status = 'delivered'
      this.event('queue.delivered', { id: 'q', sessionId: id })
    },
  }
}

export type FakeServer = ReturnType<typeof createFakeServer>

/** Starts it on the socket of a temporary data directory. */
export async function openFakeServer(): Promise<{ home: string; fake: FakeServer; close(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  const fake = createFakeServer()
  const { server } = fake
  fake.state.items = [{ id: 'q', status: 'sent' }]
  const path = socketPath(home, 'signalbox')
  mkdirSync(dirname(path), { recursive: true })
  await new Promise<void>((resolve) => void server.listen(path, resolve))
  return {
    home,
    fake,
    async close() {
      fake.hangUp()
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export type Answering = (question: string, asked: QuestionOptions) => string | null | Promise<string | null>

/** Runs a command against the fake server, and reacts to its output. */
export function runAgainst(
  { home, fake }: { home: string; fake: FakeServer },
  argv: readonly string[],
  answering: Answering | null = null,
  paint: Paint = plain,
) {
  let out = ''
  let err = ''
  let all = ''
  let bell = Promise.withResolvers<void>()
  const ring = () => {
    bell.resolve()
    bell = Promise.withResolvers()
  }
  const write = (text: string) => {
    out += text
    all += text
    ring()
  }
  const output: Output = {
    print: (text) => write(`${text}\n`),
    write: async (text) => write(text),
    note(text) {
      err += `${text}\n`
      all += `${text}\n`
      ring()
    },
    json: (value) => write(`${JSON.stringify(value)}\n`),
    width: Number.POSITIVE_INFINITY,
    paint,
  }
  let press = () => {}
  const keys: Parameters<Keyboard['listen']>[0][] = []
  const watching = new Promise<void>((resolve) => fake.whenRead.push(resolve))
  const keyboard: Keyboard | null = answering && {
    ask: async (question, asked) => ({ line: await answering(question, asked), typed: '' }),
    listen(heard, typed) {
      keys.push(heard)
      ring()
      return { stop: () => typed }
    },
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
    /** All output and notes, in order. */
    all: () => all,
    /** Resolves when the keyboard is listened to. */
    async typing() {
      for (;;) {
        const heard = keys.at(-1)
        if (heard) return heard
        await bell.promise
      }
    },
    /** Everything earlier is shown, and new events are followed. */
    watching,
    soon: () => new Promise<void>((resolve) => setImmediate(resolve)),
    /** Resolves when standard output or standard error contains this. */
    async until(text: string) {
      while (!(out + err).includes(text)) await bell.promise
    },
  }
}

export const text = (messageId: string, words: string, partial: boolean) => ({
  id: messageId,
  sessionId: id,
  role: 'agent',
  content: { type: 'text', text: words, partial },
  timestamp: '2026-06-15T12:00:00.000Z',
})
export const chunk = (at: number, words: string) => ({
  sessionId: id,
  messageId: 'm',
  role: 'agent',
  type: 'text',
  at,
  text: words,
})
