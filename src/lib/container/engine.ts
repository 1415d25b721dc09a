import http from 'node:http'
import type { Socket } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { anyJson, isRecord, jsonOrNull } from '../parse-json.ts'

/** Refused by the engine, with its own words. */
export class EngineError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Attached = { readonly stdin: Socket; readonly stdout: PassThrough; readonly stderr: PassThrough }

type Body = { readonly json: unknown } | { readonly tar: Iterable<Buffer> | AsyncIterable<Buffer> }

/** Where an engine is, and what it said of itself. */
export type EngineAddress = {
  readonly socket: string
  readonly kind: 'docker' | 'podman'
  /** Of the API that it speaks. */
  readonly version: string
}

/** A client of the HTTP API that Docker and Podman share, on a Unix socket. */
export type Engine = {
  readonly address: EngineAddress
  readonly socket: string
  readonly kind: EngineAddress['kind']
  /** The answer as JSON; null if it is empty. "Already so" (304) counts as done. */
  call(method: string, path: string, body?: Body): Promise<unknown>
  /** The answer line by line, each JSON: builds, events, pulls. */
  lines(method: string, path: string, body?: Body): AsyncGenerator<Record<string, unknown>>
  /** A request that becomes a stream both ways: attach, and the start of an exec. */
  open(path: string, body?: unknown): Promise<{ socket: Socket; head: Buffer }>
  /** The streams of a container or an exec. Their end means the end of the program or of the engine. */
  streams(path: string, body?: unknown): Promise<Attached>
  close(): void
}

const pingMs = 5000

/** Null if nothing answers there. */
export async function connectEngine(socket: string): Promise<Engine | null> {
  const address = await ping(socket)
  return address && engineAt(address)
}

function ping(socketPath: string): Promise<EngineAddress | null> {
  return new Promise((resolve) => {
    const request = http.get({ socketPath, path: '/_ping', headers: { host: 'engine' }, timeout: pingMs }, (answer) => {
      answer.resume()
      const { 'api-version': version = '1.41', 'libpod-api-version': libpod } = answer.headers
      const kind = libpod === undefined ? 'docker' : 'podman'
      resolve(answer.statusCode === 200 ? { socket: socketPath, version: String(version), kind } : null)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(null))
  })
}

/** Nothing is asked: whether it answers shows with the first call. */
export function engineAt(address: EngineAddress): Engine {
  const { socket: socketPath, version, kind } = address
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
  // Some engines know little beyond 1.41, others refuse it: they say what they speak.
  const prefix = `/v${version}`

  function send(method: string, path: string, body?: Body): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = http.request({ socketPath, agent, method, path: prefix + path, headers: { host: 'engine' } })
      request.once('response', resolve).once('error', reject)
      if (body === undefined) request.end()
      else if ('json' in body) {
        request.setHeader('content-type', 'application/json')
        request.end(JSON.stringify(body.json))
      } else {
        request.setHeader('content-type', 'application/x-tar')
        Readable.from(body.tar, { objectMode: false }).on('error', reject).pipe(request)
      }
    })
  }

  async function accepted(method: string, path: string, body?: Body): Promise<http.IncomingMessage> {
    const answer = await send(method, path, body)
    if ((answer.statusCode ?? 500) < 400) return answer
    throw await refusal(answer)
  }

  function open(path: string, body?: unknown): Promise<{ socket: Socket; head: Buffer }> {
    const text = body === undefined ? '' : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const headers = {
        host: 'engine',
        connection: 'Upgrade',
        upgrade: 'tcp',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      const request = http.request({ socketPath, method: 'POST', path: prefix + path, headers })
      request.once('error', reject)
      request.once('response', (answer) => void refusal(answer).then(reject, reject))
      request.once('upgrade', (_answer, socket: Socket, head) => resolve({ socket, head }))
      request.end(text)
    })
  }

  return {
    address,
    socket: socketPath,
    kind,
    async call(method, path, body) {
      const text = await textOf(await accepted(method, path, body))
      return text.trim() === '' ? null : jsonOrNull(text, anyJson)
    },
    async *lines(method, path, body) {
      const answer = await accepted(method, path, body)
      for await (const line of createInterface({ input: answer })) {
        const said = jsonOrNull(line, isRecord)
        if (said) yield said
      }
    },
    open,
    async streams(path, body) {
      const { socket, head } = await open(path, body)
      const [stdout, stderr] = [new PassThrough(), new PassThrough()]
      socket.on('error', () => {})
      void pump(socket, head, { stdout, stderr })
        .catch(() => {})
        .finally(() => {
          stdout.end()
          stderr.end()
        })
      return { stdin: socket, stdout, stderr }
    },
    close: () => agent.destroy(),
  }
}

async function textOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(Buffer.from(chunk as Buffer))
  return Buffer.concat(chunks).toString()
}

async function refusal(answer: http.IncomingMessage): Promise<EngineError> {
  const text = await textOf(answer)
  const said = jsonOrNull(text, isRecord)?.['message']
  const message = typeof said === 'string' ? said : text.trim()
  return new EngineError(answer.statusCode ?? 500, message)
}

/** Eight bytes of head (kind, then length), then the bytes. A slow reader slows the program, and loses nothing. */
async function pump(
  source: AsyncIterable<Buffer>,
  head: Buffer,
  to: { stdout: PassThrough; stderr: PassThrough },
): Promise<void> {
  let kept: Buffer = head
  const take = async (): Promise<void> => {
    while (kept.length >= 8) {
      const end = 8 + kept.readUInt32BE(4)
      if (kept.length < end) return
      const stream = kept[0] === 2 ? to.stderr : to.stdout
      const bytes = kept.subarray(8, end)
      kept = kept.subarray(end)
      if (!stream.write(bytes)) await new Promise((resolve) => stream.once('drain', resolve))
    }
  }
  await take()
  for await (const chunk of source) {
    kept = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    await take()
  }
}
