import { AsyncLocalStorage } from 'node:async_hooks'
import { createMcpHandler, type Server, type ServerEvent, type ServerEventBus } from '@modelcontextprotocol/server'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Fault } from '../../../lib/result.ts'
import type { Link } from '../link.ts'
import type { McpCaller, TransportSessions } from '../sessions.ts'
import { callKeyOf } from './request-record.ts'
import { refuseFault } from './refuse.ts'

export type ModernDeps = {
  serverFor(link: Link): Server
  /** A server that describes itself without starting a session. */
  describe(): Server
  sessions: TransportSessions
  log: Logger
}

type Exchange = {
  caller: McpCaller
  method: string | null
  /** The client's own name. */
  agent: string | null
  refused: Fault | null
  sessionId: SessionId | null
}

/** The revision of 2026-07-28: requests are independent, and closing a stream cancels its request. */
export function createModern(deps: ModernDeps) {
  const exchanges = new AsyncLocalStorage<Exchange>()
  const listeners = new Map<(event: ServerEvent) => void, SessionId | null>()
  const calls = new Map<SessionId, number>()
  const open = new Map<Server, McpCaller>()

  async function serverOf(request: Request | undefined): Promise<Server> {
    const exchange = exchanges.getStore()
    if (!request || !exchange) throw new Error('a request without a caller')
    if (exchange.method === 'server/discover') return deps.describe()
    const attached = await deps.sessions.attach(exchange.caller, new URL(request.url).searchParams, {
      alone: true,
      agent: exchange.agent,
    })
    if (!attached.ok) {
      exchange.refused = attached.fault
      throw new Error(attached.fault.message)
    }
    exchange.sessionId = attached.value.sessionId
    const closing = new AbortController()
    const callKey = callKeyOf(request)
    const server = deps.serverFor({ ...attached.value, connectionId: null, callKey, closing: closing.signal })
    const { sessionId } = attached.value
    const held = exchange.method === 'tools/call' ? 1 : 0
    count(sessionId, held)
    open.set(server, exchange.caller)
    const { onclose } = server
    const over = () => {
      open.delete(server)
      count(sessionId, -held)
      closing.abort()
      onclose?.()
    }
    return Object.assign(server, { onclose: over })
  }

  function count(sessionId: SessionId, more: number): void {
    const now = (calls.get(sessionId) ?? 0) + more
    if (now > 0) calls.set(sessionId, now)
    else calls.delete(sessionId)
  }

  /** Listeners get events of their own session. */
  const bus: ServerEventBus = {
    publish: (event) => tell(null, event),
    subscribe(listener) {
      listeners.set(listener, exchanges.getStore()?.sessionId ?? null)
      return () => void listeners.delete(listener)
    },
  }

  function tell(sessionId: SessionId | null, event: ServerEvent): void {
    for (const [listener, listensTo] of listeners) if (sessionId === null || sessionId === listensTo) listener(event)
  }

  const handler = (responseMode: 'auto' | 'sse') =>
    createMcpHandler(({ requestInfo }) => serverOf(requestInfo), {
      legacy: 'reject',
      responseMode,
      bus,
      onerror: (error) => deps.log.debug({ error: error.message }, 'MCP request'),
    })
  // A call with progress may take long: its response starts at once, so that no proxy times out.
  const quick = handler('auto')
  const lasting = handler('sse')

  return {
    async fetch(request: Request, caller: McpCaller, parsedBody: unknown): Promise<Response> {
      const method = methodOf(parsedBody)
      const exchange: Exchange = { caller, method, agent: agentOf(parsedBody), refused: null, sessionId: null }
      const lasts = method === 'tools/call' && wantsProgress(parsedBody)
      const response = await exchanges.run(exchange, () => (lasts ? lasting : quick).fetch(request, { parsedBody }))
      return exchange.refused ? refuseFault(exchange.refused, idOf(parsedBody)) : response
    },
    tell,
    held: () => new Map(calls),
    dropWhere(test: (caller: McpCaller) => boolean) {
      for (const [server, caller] of open) if (test(caller)) void server.close()
    },
    async close() {
      await Promise.all([quick.close(), lasting.close()])
    },
  }
}

const field = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null ? Object.entries(body).find(([key]) => key === name)?.[1] : undefined

function methodOf(body: unknown): string | null {
  const method = field(body, 'method')
  return typeof method === 'string' ? method : null
}

function idOf(body: unknown): string | number | null {
  const id = field(body, 'id')
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

function agentOf(body: unknown): string | null {
  const info = field(field(field(body, 'params'), '_meta'), 'io.modelcontextprotocol/clientInfo')
  const name = field(info, 'name')
  return typeof name === 'string' && name !== '' ? name : null
}

const wantsProgress = (body: unknown): boolean =>
  field(field(field(body, 'params'), '_meta'), 'progressToken') !== undefined
