import { request as send, type Agent, type IncomingHttpHeaders } from 'node:http'

export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: Record<string, unknown> }

export type Sent = {
  method: string
  path: string
  body?: unknown
  headers?: Readonly<Record<string, string>>
  agent?: Agent
}

/** One request over the local socket. Rejects without a complete response: then the outcome is unknown. */
export function request(socketPath: string, { method, path, body, headers, agent }: Sent): Promise<Reply> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  return new Promise((resolve, reject) => {
    const outgoing = send({
      socketPath,
      method,
      path,
      ...(agent && { agent }),
      headers: {
        host: 'localhost',
        ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
        ...headers,
      },
    })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('close', () => {
        if (!incoming.complete) return reject(new Error('the answer was cut off'))
        const text = Buffer.concat(chunks).toString()
        const isJson = /json/.test(incoming.headers['content-type'] ?? '')
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text,
          body: isJson ? JSON.parse(text) : {},
        })
      })
    })
    outgoing.end(payload)
  })
}

export const get = (socketPath: string, path: string): Promise<Reply> => request(socketPath, { method: 'GET', path })
export const post = (socketPath: string, path: string, body: unknown, headers?: Record<string, string>) =>
  request(socketPath, { method: 'POST', path, body, ...(headers && { headers }) })

export const errorOf = (reply: Reply): { code?: string; message?: string; hint?: string } => Object(reply.body['error'])
