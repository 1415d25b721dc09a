import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { socketTarget } from '../../src/cli/transport.ts'
import { createBridge } from '../../src/cli/mcp/bridge.ts'
import { linesOf } from '../../src/cli/mcp/lines.ts'
import type { BridgeTimeouts } from '../../src/cli/mcp/reconnect.ts'
import { createWire } from '../../src/cli/mcp/wire.ts'

export type Heard = {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
  /** The body, if any. */
  json: { id?: unknown; method?: string; params?: Record<string, unknown> }
  response: ServerResponse
}
type Answer = (heard: Heard) => void

export type FakeServer = Disposable & {
  readonly heard: Heard[]
  /** Of a JSON-RPC or an HTTP method. */
  of(method: string): Heard[]
  open(): Promise<void>
  /** Ends at once, as a killed process does. */
  close(): Promise<void>
  readonly socket: string
  answer: Answer
}

/** A server behind a Unix socket that answers as the test says. */
export async function openFakeServer(answer: Answer): Promise<FakeServer> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bridge-'))
  const socket = join(folder, 'fake.sock')
  const heard: Heard[] = []
  let server: Server | null = null
  const side: FakeServer = {
    heard,
    of: (method) => heard.filter((one) => one.json.method === method || one.method === method),
    socket,
    answer,
    async open() {
      rmSync(socket, { force: true })
      const opened = createServer((request, response) => void take(request, response))
      server = opened
      await new Promise<void>((resolve) => {
        opened.listen(socket, resolve)
      })
    },
    async close() {
      const closed = server
      server = null
      if (!closed) return
      closed.closeAllConnections()
      await new Promise((resolve) => {
        closed.close(resolve)
      })
    },
    [Symbol.dispose]() {
      void side.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://fake')
    if (url.pathname === '/healthz') return void response.end('{"status":"ok"}')
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const method = request.method ?? ''
    const one = { method, url, headers: request.headers, body, json: body === '' ? {} : JSON.parse(body), response }
    heard.push(one)
    side.answer(one)
  }
  await side.open()
  return side
}

export const asJson = (
  { response }: Heard,
  value: unknown,
  headers: Record<string, string> = {},
  status = 200,
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}
export const asEvents = ({ response }: Heard, headers: Record<string, string> = {}): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders()
}
export const event = (value: unknown, id?: string): string =>
  `event: message\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`
export const result = (heard: Heard, value: unknown): object => ({ jsonrpc: '2.0', id: heard.json.id, result: value })

/** Like a 2025 server: initialize opens the MCP session `mcp-1`, notifications are accepted, everything else is `then`. */
export function likeMcp(then: Answer, session = () => 'mcp-1'): Answer {
  return (heard) => {
    const { method } = heard.json
    if (method === 'initialize')
      return asJson(heard, result(heard, { protocolVersion: '2025-11-25' }), { 'mcp-session-id': session() })
    if (heard.json.id === undefined && method !== undefined) return void heard.response.writeHead(202).end()
    then(heard)
  }
}

export type Client = {
  say(...lines: (object | string)[]): void
  /** Every message written so far. */
  readonly got: Record<string, unknown>[]
  /** The answer to a call, when it arrives. */
  answerTo(id: unknown): Promise<Record<string, unknown>>
  readonly notes: string[]
  readonly input: PassThrough
  readonly output: PassThrough
  readonly bridge: ReturnType<typeof createBridge>
  introduce(): Promise<void>
}

type Options = { patience?: Partial<BridgeTimeouts>; start?: () => Promise<void>; deaf?: boolean; isOwnName?: boolean }

export function connectBridge(side: FakeServer, options: Options = {}): Client {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const notes: string[] = []
  const got: Record<string, unknown>[] = []
  const looking = new Set<() => void>()
  const target = socketTarget(side.socket, 'the data directory', undefined)
  const bridge = createBridge({
    input,
    output,
    wire: createWire(target, {
      query: new URLSearchParams('session_id=s-1&workspace=/w'),
      isOwnName: options.isOwnName ?? false,
    }),
    start: options.start ?? null,
    note: (text) => notes.push(text),
    patience: options.patience ?? {},
  })
  const readAll = async () => {
    for await (const line of linesOf(output, 1e9)) {
      got.push(JSON.parse(line ?? 'null'))
      for (const look of looking) look()
    }
  }
  if (!options.deaf) void readAll()
  const client: Client = {
    say(...lines) {
      for (const line of lines) input.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    },
    got,
    answerTo: (id) =>
      new Promise((resolve) => {
        const look = () => {
          const found = got.find((one) => one['id'] === id && !('method' in one))
          if (found) resolve(found)
        }
        looking.add(look)
        look()
      }),
    notes,
    input,
    output,
    bridge,
    async introduce() {
      client.say(call('init', 'initialize', { protocolVersion: '2025-11-25' }))
      await client.answerTo('init')
      client.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    },
  }
  return client
}

export const call = (id: unknown, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
