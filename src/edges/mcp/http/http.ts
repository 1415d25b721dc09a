import {
  classifyInboundRequest,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Server,
  type ServerEvent,
} from '@modelcontextprotocol/server'
import type { ConnectionRecords } from '../../../domain/connection/records.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { isRecord } from '../../../lib/parse-json.ts'
import { createEventStore } from '../event-store.ts'
import { readJson, type JsonBody } from './json-body.ts'
import { createConnections } from './connections.ts'
import { createLegacy } from './legacy.ts'
import type { Link } from '../link.ts'
import type { McpCaller, TransportSessions } from '../sessions.ts'
import { createModern } from './modern.ts'
import { createOldSse } from './old-sse.ts'
import { refuse, refuseFault, rpcCode } from './refuse.ts'

export type McpHttpDeps = {
  serverFor(link: Link): Server
  /** A server without a caller, which only describes itself. */
  describe(): Server
  sessions: TransportSessions
  connections: ConnectionRecords
  clock: Clock
  log: Logger
  bodyLimit: number
  /** How long a call without a reader keeps running. */
  lostAfterMs: number
}

/** MCP over HTTP: `/mcp` in all revisions, and the older `/sse` with `/messages`. */
export type McpHttp = {
  /** The HTTP edge has authenticated the caller, and checked host and origin. */
  fetch(request: Request, caller: McpCaller): Promise<Response>
  /** Tool calls with a reader, by session. */
  held(): Map<SessionId, number>
  /** Notifies listeners without a connection: those of one session, or all. */
  tell(sessionId: SessionId | null, event: ServerEvent): void
  /** Drops callers that lost access: a token revoked, a person removed. */
  dropWhere(test: (caller: McpCaller) => boolean): void
  /** Ends all streams without replies; clients resume them later. */
  close(): Promise<void>
}

const everyMs = 15_000

export function createMcpHttp(deps: McpHttpDeps): McpHttp {
  const { serverFor, sessions, clock, log, lostAfterMs } = deps
  const records = deps.connections
  const store = createEventStore({ records, clock, log })
  const connections = createConnections({ serverFor, sessions, records, store, clock, log, lostAfterMs })
  const legacy = createLegacy({ connections, sessions })
  const modern = createModern({ serverFor, describe: deps.describe, sessions, log })
  const oldSse = createOldSse({ serverFor, sessions })
  let closed = false
  let timer: Disposable
  const tick = () => {
    timer = clock.at(clock.now() + everyMs, tick)
    connections.tick()
    oldSse.tick()
  }
  timer = clock.at(clock.now() + everyMs, tick)

  async function bodyOf(request: Request): Promise<JsonBody | Response> {
    if (!isJsonContentType(request.headers.get('content-type'))) return notJson()
    const body = await readJson(request, deps.bodyLimit)
    return body.ok ? body.value : refuseFault(body.fault)
  }

  async function post(request: Request, caller: McpCaller): Promise<Response> {
    const body = await bodyOf(request)
    if (!('text' in body && 'value' in body)) return body
    return isLegacy(request, body.value)
      ? legacy.post(request, caller, body)
      : modern.fetch(request, caller, body.value)
  }

  async function route(request: Request, caller: McpCaller): Promise<Response> {
    const at = `${request.method} ${new URL(request.url).pathname}`
    switch (at) {
      case 'POST /mcp':
        return post(request, caller)
      case 'GET /mcp':
        return legacy.get(request, caller)
      case 'DELETE /mcp':
        return legacy.delete(request, caller)
      case 'GET /sse':
        return oldSse.get(request, caller)
      case 'POST /messages': {
        const body = await bodyOf(request)
        return 'text' in body && 'value' in body ? oldSse.post(request, caller, body) : body
      }
      default:
        return wrongMethod(at)
    }
  }

  return {
    fetch: async (request, caller) => (closed ? stopping() : route(request, caller)),
    held() {
      const all = connections.held()
      for (const more of [modern.held(), oldSse.held()])
        for (const [sessionId, calls] of more) all.set(sessionId, (all.get(sessionId) ?? 0) + calls)
      return all
    },
    tell: modern.tell,
    dropWhere(test) {
      connections.dropWhere(test)
      modern.dropWhere(test)
      oldSse.dropWhere(test)
    },
    async close() {
      closed = true
      timer[Symbol.dispose]()
      connections.close()
      oldSse.close()
      await modern.close()
      await store.close()
    },
  }
}

function isLegacy(request: Request, body: unknown): boolean {
  if (isOrdinary(request, body)) return true
  const header = (name: string) => request.headers.get(name) ?? undefined
  const [protocolVersionHeader, mcpMethodHeader, mcpNameHeader] = [
    header('mcp-protocol-version'),
    header('mcp-method'),
    header('mcp-name'),
  ]
  const outcome = classifyInboundRequest({
    httpMethod: request.method,
    body,
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
  })
  return outcome.kind === 'legacy'
}

/** Revisions in which a client first opens a connection. */
const withConnections: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS)

/**
 * The SDK finds out by several checks of the whole message. An ordinary request of an older revision shows it at once: its
 * version in the header, and no claim of a newer one in its `_meta`.
 */
function isOrdinary({ headers }: Request, body: unknown): boolean {
  const version = headers.get('mcp-protocol-version')
  if (version === null || !withConnections.has(version) || !isRecord(body)) return false
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number'))
    return false
  const meta = isRecord(params) ? params['_meta'] : undefined
  return !isRecord(meta) || !(PROTOCOL_VERSION_META_KEY in meta)
}

const notJson = (): Response =>
  refuse({ status: 415, code: rpcCode.refused, message: 'Send Content-Type: application/json' })

const stopping = (): Response =>
  refuse({ status: 503, code: rpcCode.refused, message: 'Signalbox is stopping. Try again in a moment.' })

const wrongMethod = (at: string): Response =>
  refuse(
    { status: 405, code: rpcCode.refused, message: `Method not allowed: ${at}. /mcp takes POST, GET and DELETE.` },
    { allow: 'POST, GET, DELETE' },
  )
