import { connect, type Socket } from 'node:net'
import { within } from '../support/until.ts'

export type Endpoint = { path: string } | { host: string; port: number }

/** What came back over a raw connection until it was closed, or until a complete response was there. */
export type RawAnswer = { status: number; head: string; body: string; closed: boolean }

/** A raw connection that ignores its own errors: the server may close it at any time. */
export function open(endpoint: Endpoint): Socket {
  const socket = connect(endpoint)
  socket.on('error', () => {})
  return socket
}

/** Sends raw bytes and reads one response. A connection closed without one has status 0. */
export function exchange(endpoint: Endpoint, write: (socket: Socket) => void, seconds = 20): Promise<RawAnswer> {
  const socket = open(endpoint)
  let received = ''
  const answer = new Promise<RawAnswer>((resolve) => {
    const done = (closed: boolean) => {
      const [head = '', ...rest] = received.split('\r\n\r\n')
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n'), closed })
    }
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString()
      const length = /content-length: (\d+)/i.exec(received)?.[1]
      const at = received.indexOf('\r\n\r\n')
      if (length !== undefined && at > 0 && Buffer.byteLength(received.slice(at + 4)) >= Number(length)) done(false)
    })
    socket.on('close', () => done(true))
  })
  write(socket)
  return within(answer, 'an answer or the end of the connection', seconds).finally(() => socket.destroy())
}

export const head = (method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string =>
  [
    `${method} ${path} HTTP/1.1`,
    ...Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

/** A complete request with a JSON body of any bytes. */
export const posting = (path: string, body: Buffer | string): Buffer => {
  const bytes = Buffer.from(body)
  return Buffer.concat([
    Buffer.from(head('POST', path, { 'content-type': 'application/json', 'content-length': bytes.length })),
    bytes,
  ])
}

export const errorIn = ({ body }: RawAnswer): { code?: string; message?: string } => {
  try {
    return Object(JSON.parse(body).error)
  } catch {
    return {}
  }
}
