import { within } from './until.ts'

export type Frame = { id: string | undefined; data: unknown }

/** What arrived on one stream of server-sent events. */
export type Lines = {
  /** The next event; comments are left out. */
  next(): Promise<Frame | null>
  /** The next message with a result or an error. */
  answer(): Promise<Record<string, unknown>>
  /** Like a client that goes away. */
  leave(): Promise<void>
}

const accept = 'application/json, text/event-stream'

/** A client that uses the wire directly, so that a test decides when it breaks. */
export type Wire = {
  post(message: unknown, more?: Record<string, string>): Promise<Response>
  get(more?: Record<string, string>): Promise<Response>
  delete(): Promise<Response>
}

export function wireTo(url: string, headers: Record<string, string> = {}): Wire {
  const send = (method: string, more: Record<string, string>, body?: string) =>
    fetch(`${url}/mcp`, { method, headers: { accept, ...headers, ...more }, ...(body !== undefined && { body }) })
  return {
    post: (message, more = {}) =>
      send(
        'POST',
        { 'content-type': 'application/json', ...more },
        typeof message === 'string' ? message : JSON.stringify(message),
      ),
    get: (more = {}) => send('GET', { accept: 'text/event-stream', ...more }),
    delete: () => send('DELETE', {}),
  }
}

export const initialize = (protocolVersion = '2025-11-25', name = 'wire') => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name, version: '1' } },
})

export const call = (id: number | string, name: string, more: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {}, ...more },
})

/** A wire after `initialize`; `on` is the header every later request has. */
export async function connect(url: string, bearer?: string, version = '2025-11-25') {
  const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  const first = await wireTo(url, headers).post(initialize(version))
  const id = first.headers.get('mcp-session-id') ?? ''
  await linesOf(first).answer()
  const on = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': version }
  return { id, on, wire: wireTo(url, on), again: (other: string) => wireTo(other, on) }
}

export function linesOf(response: Response): Lines {
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}, no stream`)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const frames: Frame[] = []
  let rest = ''

  function take(): void {
    const parts = rest.split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const fields = new Map(
        part
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const),
      )
      const data = fields.get('data')
      if (data !== undefined) frames.push({ id: fields.get('id'), data: data === '' ? null : JSON.parse(data) })
    }
  }

  async function next(): Promise<Frame | null> {
    for (;;) {
      const frame = frames.shift()
      if (frame) return frame
      const { done, value } = await within(reader.read(), 'an event')
      if (done) return null
      rest += decoder.decode(value, { stream: true })
      take()
    }
  }

  return {
    next,
    async answer() {
      for (;;) {
        const frame = await next()
        if (frame === null) throw new Error('the stream ended without an answer')
        const { data } = frame
        if (typeof data === 'object' && data !== null && ('result' in data || 'error' in data)) return { ...data }
      }
    },
    leave: () => reader.cancel(),
  }
}
