import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'

/** A server by its address or by its socket. */
export type Place = { address: string } | { socket: string }
export type Sent = { body?: unknown; raw?: string | Buffer; headers?: OutgoingHttpHeaders }
export type Reply = { status: number; headers: IncomingHttpHeaders; text: string; body: unknown }
export type Refusal = {
  status: number
  code: string
  message: string
  hint?: string
  details?: Record<string, unknown>
  headers: IncomingHttpHeaders
}

/** The API over plain HTTP, without the product's client. */
export type Api = {
  readonly place: Place
  readonly headers: OutgoingHttpHeaders
  send(method: string, path: string, sent?: Sent): Promise<Reply>
  get<T>(path: string, headers?: OutgoingHttpHeaders): Promise<T>
  /** The entries of a list, whatever its name. */
  list<T>(path: string): Promise<T[]>
  post<T>(path: string, body?: unknown, headers?: OutgoingHttpHeaders): Promise<T>
  put<T>(path: string): Promise<T>
  patch<T>(path: string, body: unknown): Promise<T>
  delete<T>(path: string): Promise<T>
  /** Expects a refusal and returns its error. */
  refused(method: string, path: string, body?: unknown, headers?: OutgoingHttpHeaders): Promise<Refusal>
  as(headers: OutgoingHttpHeaders): Api
}

export function createApi(place: Place, headers: OutgoingHttpHeaders = {}): Api {
  const agent = new Agent({ keepAlive: true })

  const send = (method: string, path: string, sent: Sent = {}): Promise<Reply> =>
    exchange(place, agent, method, path, { ...sent, headers: { ...headers, ...sent.headers } })

  async function call<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
    const reply = await send(method, path, sent)
    if (reply.status >= 400) throw new Error(`${method} ${path} gave ${reply.status}: ${reply.text.slice(0, 1000)}`)
    return reply.body as T
  }

  return {
    place,
    headers,
    send,
    get: (path, more) => call('GET', path, more ? { headers: more } : {}),
    async list<T>(path: string) {
      const [entries, ...more] = Object.values(await call<object>('GET', path)).filter(Array.isArray)
      if (!entries || more.length > 0) throw new Error(`GET ${path} is not a list`)
      return entries as T[]
    },
    post: (path, body, more) => call('POST', path, { body: body ?? {}, ...(more && { headers: more }) }),
    put: (path) => call('PUT', path),
    patch: (path, body) => call('PATCH', path, { body }),
    delete: (path) => call('DELETE', path),
    async refused(method, path, body, more) {
      const reply = await send(method, path, { ...(body !== undefined && { body }), ...(more && { headers: more }) })
      if (reply.status < 400)
        throw new Error(`${method} ${path} was not refused: ${reply.status} ${reply.text.slice(0, 500)}`)
      return refusalOf(reply)
    },
    as: (more) => createApi(place, { ...headers, ...more }),
  }
}

export function refusalOf(reply: Reply): Refusal {
  const { error } = reply.body as { error: Omit<Refusal, 'status' | 'headers'> }
  return { ...error, status: reply.status, headers: reply.headers }
}

function exchange(place: Place, agent: Agent, method: string, path: string, sent: Sent): Promise<Reply> {
  const headers: OutgoingHttpHeaders = { ...sent.headers }
  const payload = sent.raw ?? (sent.body === undefined ? undefined : JSON.stringify(sent.body))
  if (payload !== undefined) {
    headers['content-type'] ??= 'application/json'
    headers['content-length'] = Buffer.byteLength(payload)
  }
  return new Promise((resolve, reject) => {
    const call = request({ ...optionsOf(place), method, path, headers, agent })
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      const done = () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: parsed(response.headers, text),
        })
      }
      response.on('end', done)
      // A server that refuses a large body may hang up while it is still being sent; its response is still here.
      response.on('error', (error) => (response.complete ? done() : reject(error)))
    })
    call.on('error', reject)
    call.end(payload)
  })
}

export function optionsOf(place: Place) {
  if ('socket' in place) return { socketPath: place.socket }
  const { hostname, port } = new URL(place.address)
  return { host: hostname.replace(/^\[|\]$/g, ''), port }
}

function parsed(headers: IncomingHttpHeaders, text: string): unknown {
  return /^application\/json\b/.test(headers['content-type'] ?? '') && text !== '' ? JSON.parse(text) : undefined
}
