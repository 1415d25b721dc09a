import type { JSONRPCRequest, Server } from '@modelcontextprotocol/server'
import type { ConnectionRecords } from '../../../domain/connection/records.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { EventStore } from '../event-store.ts'
import { createConnection, type McpConnection } from './connection.ts'
import type { AttachedSession, Link } from '../link.ts'
import type { McpCaller, TransportSessions } from '../sessions.ts'
import { isRecord, ownJson } from '../../../lib/parse-json.ts'

export type ConnectionsDeps = {
  serverFor(link: Link): Server
  sessions: TransportSessions
  records: ConnectionRecords
  store: EventStore
  clock: Clock
  log: Logger
  lostAfterMs: number
}

/** A connection in memory, with its caller. */
export type OpenConnection = { readonly connection: McpConnection; readonly link: Link; readonly caller: McpCaller }

export type Connections = {
  open(caller: McpCaller, params: JSONRPCRequest['params'], query: URLSearchParams): Promise<Result<OpenConnection>>
  /** Also finds connections from before a restart, and restores them. */
  find(id: string, caller: McpCaller): Promise<Result<OpenConnection>>
  /** The number of connected clients of a session. */
  openOf(sessionId: SessionId): Promise<number>
  /** The client ended the connection. */
  end(known: OpenConnection): Promise<void>
  held(): Map<SessionId, number>
  /** Periodic maintenance. */
  tick(): void
  /** Drops connections whose callers lost access; a new request is checked again. */
  dropWhere(test: (caller: McpCaller) => boolean): void
  close(): void
}

const forgottenAfterMs = 30 * 60_000
/** Connections per token kept in memory. */
const mostOfOne = 1000
const aMinute = 60_000
const lately = 30_000
const reconnectMs = 5000

type ConnectionEntry = OpenConnection & { closing: AbortController; usedAt: number; touchedAt: number }

export function createConnections(deps: ConnectionsDeps): Connections {
  const { sessions, records, store, clock, log } = deps
  const known = new Map<string, ConnectionEntry>()
  const waking = new Map<string, Promise<Result<ConnectionEntry>>>()
  /** Sessions whose stream is gone. */
  const away = new Set<SessionId>()
  const waitingFor = new Set<Disposable>()

  async function make(id: string, attached: AttachedSession, caller: McpCaller): Promise<ConnectionEntry> {
    const closing = new AbortController()
    const link: Link = { ...attached, connectionId: id, callKey: null, kept: store.flush, closing: closing.signal }
    const connection = createConnection({ id, store, clock, left: () => leaves(link) })
    await deps.serverFor(link).connect(connection.transport)
    const now = clock.now()
    return { connection, link, caller, closing, usedAt: now, touchedAt: now }
  }

  /** A client that only reconnects is back within moments. */
  function leaves(link: Link): void {
    const timer = clock.at(clock.now() + reconnectMs, () => {
      waitingFor.delete(timer)
      const { sessionId } = link
      if ([...known.values()].some((one) => one.link.sessionId === sessionId && one.connection.read())) return
      away.add(sessionId)
      void sessions.connected(sessionId, 'offline')
    })
    waitingFor.add(timer)
  }

  /** Any request is a sign of life (X2). */
  function isBack({ sessionId }: Link): void {
    if (away.delete(sessionId)) void sessions.connected(sessionId, 'online')
  }

  async function wake(id: string, caller: McpCaller): Promise<Result<ConnectionEntry>> {
    const row = await records.find(id)
    if (!row || row.closedAt !== null || !sameClient(row, row.sessionId, caller)) return gone()
    const attached = await sessions.attach(caller, new URLSearchParams({ session_id: row.sessionId }))
    if (!attached.ok) {
      log.info({ connectionId: id, sessionId: row.sessionId, code: attached.fault.code }, 'MCP connection ended')
      return attached.fault.kind === 'unavailable' || attached.fault.kind === 'limited' ? attached : gone()
    }
    const entry = await make(id, attached.value, caller)
    await entry.connection.play(ownJson(row.initialize, 'The introduction of an MCP client', isRecord))
    known.set(id, entry)
    touch([entry], true)
    return ok(entry)
  }

  /** At most once a minute: a write per request would be too expensive. */
  function touch(entries: readonly ConnectionEntry[], atOnce = false): void {
    const now = clock.now()
    const due = entries.filter((entry) => atOnce || now - entry.touchedAt >= aMinute)
    if (due.length === 0) return
    for (const entry of due) entry.touchedAt = now
    const ids = due.map(({ connection }) => connection.id)
    // Not awaited; may fail while the server stops.
    records
      .touch(ids, iso(now))
      .catch((error: unknown) => log.debug({ error: String(error) }, 'failed to record activity'))
  }

  function drop(entry: ConnectionEntry): void {
    known.delete(entry.connection.id)
    entry.closing.abort()
    entry.connection.close()
  }

  /** Has a reader, or was used recently. A crashed client never closes its connection. */
  const isThere = ({ id, lastSeenAt }: { id: string; lastSeenAt: string }): boolean => {
    const entry = known.get(id)
    const since = clock.now() - lately
    return entry ? entry.connection.read() || entry.usedAt > since : Date.parse(lastSeenAt) > since
  }

  const openOf = async (sessionId: SessionId): Promise<number> =>
    (await records.openOf(sessionId)).filter(isThere).length

  return {
    openOf,
    async open(caller, params, query) {
      const own = [...known.values()].filter(
        (one) => one.caller.userId === caller.userId && one.caller.tokenId === caller.tokenId,
      )
      if (own.length >= mostOfOne) {
        // Crashed clients never disconnect: drop the one idle the longest.
        const idle = own.filter(({ connection }) => !connection.busy() && !connection.read())
        const oldest = idle.toSorted((a, b) => a.usedAt - b.usedAt)[0]
        if (!oldest) return fail(tooManyConnections)
        drop(oldest)
      }
      const attached = await sessions.attach(caller, query, { agent: nameOf(params) })
      if (!attached.ok) return attached
      const id = newRandomId<string>()
      const entry = await make(id, attached.value, caller)
      const { sessionId } = attached.value
      const initialize = JSON.stringify(params)
      const { userId, tokenId } = caller
      await records.open({ id, sessionId, userId, tokenId, initialize, createdAt: iso(clock.now()) })
      known.set(id, entry)
      return ok(entry)
    },
    async find(id, caller) {
      const here = known.get(id)
      if (here) {
        if (!sameClient(here.caller, here.link.sessionId, caller)) return gone()
        here.usedAt = clock.now()
        sessions.seen(here.link.sessionId)
        isBack(here.link)
        touch([here])
        return ok(here)
      }
      const key = `${id} ${caller.userId} ${caller.tokenId}`
      const woken = waking.get(key) ?? wake(id, caller).finally(() => waking.delete(key))
      waking.set(key, woken)
      return woken
    },
    async end({ connection, link }) {
      const entry = known.get(connection.id)
      if (!entry) return
      drop(entry)
      await records.close(connection.id, iso(clock.now()))
      if ((await openOf(link.sessionId)) === 0) await sessions.goodbye(link)
    },
    held() {
      const calls = new Map<SessionId, number>()
      for (const { connection, link } of known.values()) {
        const held = connection.held()
        if (held > 0) calls.set(link.sessionId, (calls.get(link.sessionId) ?? 0) + held)
      }
      return calls
    },
    tick() {
      const now = clock.now()
      for (const entry of known.values()) {
        entry.connection.keepAlive()
        entry.connection.abandon(now - deps.lostAfterMs)
        if (!entry.connection.busy() && now - entry.usedAt > forgottenAfterMs) drop(entry)
      }
      touch([...known.values()].filter(({ connection }) => connection.read()))
    },
    dropWhere(test) {
      for (const entry of known.values()) if (test(entry.caller)) drop(entry)
    },
    close() {
      for (const timer of waitingFor) timer[Symbol.dispose]()
      for (const entry of known.values()) drop(entry)
    },
  }
}

/** Another token of the same person is another client, unless it is bound to this session. */
const sameClient = (
  first: Pick<McpCaller, 'userId' | 'tokenId'>,
  sessionId: SessionId,
  { userId, tokenId, sessionId: bound }: McpCaller,
): boolean => first.userId === userId && (first.tokenId === tokenId || bound === sessionId)

const gone = (): Result<never> =>
  fail({ kind: 'not_found', code: 'no_such_connection', message: 'Unknown MCP session.' })

const tooManyConnections = {
  kind: 'limited' as const,
  code: 'too_many_connections',
  message: `This token has ${mostOfOne} MCP connections in use.`,
  hint: 'End some of them, or use a token for each agent.',
}

/** The client's own name. */
function nameOf(params: JSONRPCRequest['params']): string | null {
  const info: unknown = params?.['clientInfo']
  const name: unknown = typeof info === 'object' && info !== null && 'name' in info ? info.name : null
  return typeof name === 'string' && name !== '' ? name : null
}
