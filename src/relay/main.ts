// The inner half of the relay, in a sandbox with its own network: it opens the allowed ports on the loopback, and a proxy
// to the outside. It starts before the agent and ends with it. The keeper, outside, decides what is allowed.
import { closeSync, openSync, writeSync } from 'node:fs'
import {
  createServer as createHttpServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect, createServer, type Socket } from 'node:net'

type Plan = {
  socket: string
  ports: readonly number[]
  gate: readonly number[]
  proxy: number | null
  /** Tells the outer half when everything listens. */
  tells: boolean
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number')

/** Written by the keeper, so an invalid plan is a bug. It ends the relay before the agent starts. */
function readPlan(text: string): Plan {
  const { socket, ports, gate, proxy, tells }: Record<string, unknown> = Object(JSON.parse(text))
  if (typeof socket !== 'string' || !isNumbers(ports) || !isNumbers(gate))
    throw new Error("The relay's plan is incomplete.")
  return { socket, ports, gate, proxy: typeof proxy === 'number' ? proxy : null, tells: tells === true }
}

const plan = readPlan(process.argv[2] ?? '{}')
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i
const mostAnswer = 1024

/** Asks the outer half. The reply is one line; the bytes after it belong to the connection. */
function reach(line: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const far = connect({ path: plan.socket, allowHalfOpen: true })
    let read = Buffer.alloc(0)
    const take = (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      const end = read.indexOf('\n')
      if (end === -1 && read.length < mostAnswer) return
      far.off('data', take).pause()
      const answer = read.toString('utf8', 0, end)
      if (answer !== 'ok') {
        far.destroy()
        return reject(new Error(answer.replace(/^no /, '')))
      }
      if (read.length > end + 1) far.unshift(read.subarray(end + 1))
      resolve(far)
    }
    far.on('error', reject).on('close', () => reject(new Error('unreachable the relay is closed')))
    far.on('data', take)
    far.write(`${line}\n`)
  })
}

/** Loopback addresses mean the sandbox's own loopback. */
const dial = (host: string, port: number): Promise<Socket> =>
  loopback.test(host)
    ? new Promise((resolve, reject) => {
        const near = connect({ host: 'localhost', port, allowHalfOpen: true, autoSelectFamily: true })
        near.on('error', reject).on('connect', () => resolve(near))
      })
    : reach(`tcp ${host.replace(/^\[|\]$/g, '')} ${port}`)

function join(near: Socket, far: Socket): void {
  near.pipe(far)
  far.pipe(near)
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const)
    one.on('close', () => (one.readableEnded && one.writableFinished) || other.destroy())
}

/** Resets the connection, as if nothing listened. */
const cutOff = (near: Socket) => () => void near.resetAndDestroy()

const forward = (line: string) => (near: Socket) => {
  near.on('error', () => {})
  reach(line).then((far) => join(near, far), cutOff(near))
}

const answerTo = ({ message }: Error): [number, string] => [
  message.startsWith('unreachable') ? 502 : 403,
  `${message}\n`,
]

function startProxy(): Server {
  const proxy = createHttpServer((incoming, outgoing) => {
    const url = URL.parse(incoming.url ?? '')
    if (url?.protocol === 'http:') pass(url, incoming, outgoing)
    else outgoing.writeHead(400).end('A proxy expects a full URL: http://…\n')
  })
  proxy.requestTimeout = 0
  proxy.on('connect', (incoming: IncomingMessage, near: Socket, head: Buffer) => {
    near.on('error', () => {})
    const [, host = '', port = ''] = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(incoming.url ?? '') ?? []
    dial(host, Number(port)).then(
      (far) => {
        near.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        if (head.length > 0) far.write(head)
        join(near, far)
      },
      (error: Error) => {
        const [status, words] = answerTo(error)
        near.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${words.length}\r\nconnection: close\r\n\r\n${words}`)
      },
    )
  })
  return proxy
}

function pass(url: URL, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const failed = (error: Error) => {
    const [status, words] = answerTo(error)
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(status, { 'content-type': 'text/plain' }).end(words)
  }
  dial(url.hostname, Number(url.port || 80)).then((far) => {
    const { method = 'GET' } = incoming
    const path = `${url.pathname}${url.search}`
    const request = httpRequest({ createConnection: () => far, method, path, headers: ownHeaders(incoming) })
    // Paused since the reply was read, until there is a listener.
    request.on('socket', () => far.resume())
    request.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, response.rawHeaders)
      response.pipe(outgoing)
      response.on('error', () => outgoing.destroy())
    })
    request.on('error', failed)
    outgoing.on('close', () => request.destroy())
    if (outgoing.destroyed) request.destroy()
    else incoming.pipe(request)
  }, failed)
}

/** Without hop-by-hop headers. */
function ownHeaders({ rawHeaders }: IncomingMessage): string[] {
  const kept: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (!/^(proxy-.*|connection|keep-alive)$/i.test(name)) kept.push(name, value)
  }
  return [...kept, 'connection', 'close']
}

const listen = (
  server: { listen(port: number, host: string): unknown; once: NodeJS.EventEmitter['once'] },
  port: number,
  host: string,
) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', resolve)
    server.listen(port, host)
  })

async function open(port: number, handle: (near: Socket) => void): Promise<void> {
  const server = () => createServer({ allowHalfOpen: true }, handle)
  await listen(server(), port, '127.0.0.1')
  // The system may have no IPv6.
  await listen(server(), port, '::1').catch(() => {})
}

// Signals are for the agent. When it ends, everything in the sandbox ends.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const) process.on(name, () => {})
process.on('uncaughtException', () => {})
try {
  await Promise.all([
    ...plan.ports.map((port) => open(port, forward(`port ${port}`))),
    ...plan.gate.map((port) => open(port, forward('gate'))),
    ...(plan.proxy === null ? [] : [listen(startProxy(), plan.proxy, '127.0.0.1')]),
  ])
} catch (error) {
  process.stderr.write(`Signalbox: failed to set up the network of this sandbox: ${String(error)}\n`)
  // exit() can hang while V8 compiles, and the script that waits for "ready" with it.
  process.kill(process.pid, 'SIGKILL')
}
writeSync(1, 'ready')
if (plan.tells)
  connect({ path: plan.socket })
    .on('error', () => {})
    .end('up\n')
// A reader that waits for the end of these would wait forever.
for (const stream of [1, 2]) {
  closeSync(stream)
  openSync('/dev/null', 'w')
}
