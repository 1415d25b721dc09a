import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { anthropic } from './anthropic.ts'
import { chat } from './chat.ts'
import { gemini } from './gemini.ts'
import { responses } from './responses.ts'
import { planFor, type Planned } from './script.ts'
import { usage, type Dialect, type Talk, type Wire } from './talk.ts'

/** One request of an agent, and how much of the answer was sent. */
export type Exchange = {
  readonly talk: Talk
  /** As it came: which model was asked, and the images. */
  readonly path: string
  readonly body: string
  said: string
  calls: string[]
  state: 'running' | 'ended' | 'hung up'
}

/** A model provider on loopback that does what the script in the prompt says. */
export type Model = AsyncDisposable & {
  readonly url: string
  /** Requests with tools: those of a conversation. */
  requests(): readonly Exchange[]
  /** Opens this gate for everyone waiting at it. */
  open(gate: string): void
  close(): Promise<void>
}

const dialects: [path: RegExp, dialect: Dialect][] = [
  [/\/messages$/, anthropic],
  [/:(stream)?generateContent$/i, gemini],
  [/\/chat\/completions$/, chat],
  [/\/responses$/, responses],
]

export async function startModel(): Promise<Model> {
  const exchanges: Exchange[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>()
    gates.set(name, gate)
    return gate
  }
  const server = createServer((request, response) => {
    const hear = (exchange: Exchange) => exchanges.push(exchange)
    answer(request, response, hear, (name) => gateOf(name).promise).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else toJson(response, 500, { error: { message: `the scripted model failed: ${String(error)}` } })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port')
  const close = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => exchanges,
    open: (name) => gateOf(name).resolve(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  hear: (exchange: Exchange) => void,
  gate: (name: string) => Promise<void>,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://model').pathname
  const body = Buffer.concat(await request.toArray()).toString('utf8')
  if (path.endsWith('/models')) return toJson(response, 200, { object: 'list', data: [], models: [], has_more: false })
  if (/count_?tokens$/i.test(path)) {
    return toJson(response, 200, { input_tokens: usage.read, totalTokens: usage.read })
  }
  const dialect = dialects.find(([pattern]) => pattern.test(path))?.[1]
  if (!dialect || request.method !== 'POST') {
    return toJson(response, 404, { error: { message: `the scripted model has nothing at ${path}` } })
  }
  const talk = dialect.read(body)
  const planned = planFor(talk)
  const calls = planned.calls.map(({ tool }) => tool.name)
  const exchange: Exchange = { talk, path, body, said: '', calls, state: 'running' }
  if (talk.tools.length > 0) hear(exchange)
  const hungUp = once(response, 'close').then(() => {
    if (exchange.state === 'running') exchange.state = 'hung up'
  })
  const { error, think = '' } = planned.step
  if (error) toJson(response, error.status, { type: 'error', error: { type: 'api_error', message: error.message } })
  else {
    const reply = { think, words: spoken(planned, exchange, hungUp, gate), calls: planned.calls }
    await dialect.write(wireTo(response), reply, { body, streamed: /:stream/i.test(path) })
  }
  if (exchange.state === 'running') exchange.state = 'ended'
}

async function* spoken(
  { step, words }: Planned,
  exchange: Exchange,
  hungUp: Promise<void>,
  gate: (name: string) => Promise<void>,
): AsyncGenerator<string> {
  for (const [index, word] of words.entries()) {
    if (step.gate?.after === index) await Promise.race([gate(step.gate.name), hungUp])
    if (exchange.state === 'hung up') return
    exchange.said += word
    yield word
    if (step.pauseMs) await pause(step.pauseMs)
  }
}

function wireTo(response: ServerResponse): Wire {
  return {
    json: (body) => toJson(response, 200, body),
    stream() {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      return (data, event) => {
        const text = typeof data === 'string' ? data : JSON.stringify(data)
        response.write(`${event ? `event: ${event}\n` : ''}data: ${text}\n\n`)
      }
    },
    end: () => void response.end(),
  }
}

function toJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
