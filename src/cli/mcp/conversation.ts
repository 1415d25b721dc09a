import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../../lib/backoff.ts'
import { anyJson, isRecord, jsonOrNull, ownJson } from '../../lib/parse-json.ts'
import { attempt } from './attempt.ts'
import { connectionHeaders, type McpConnection } from './headers.ts'
import { readMessage, rpc, type RpcMessage, type Request } from './messages.ts'
import type { Reconnect } from './reconnect.ts'
import { type RpcRefusal, messagesOf, refusalOf } from './replies.ts'
import { isHopeless, type BridgeWire } from './wire.ts'

export type CarryOptions = {
  readonly signal: AbortSignal
  accepted?(): void
  heard?(message: RpcMessage, answer: IncomingMessage): Promise<void>
  /** Do not retry. */
  readonly once?: boolean
}

/** Sends messages to the server and reads the responses, across restarts of the server. */
export type Conversation = {
  /** Resolves when the response was read, or with the refusal. Throws if the server stays unreachable. */
  carry(message: RpcMessage, carried: CarryOptions): Promise<RpcRefusal | null>
  /** The server responded to the client's `initialize`. */
  open(request: Request, response: RpcMessage, answer: IncomingMessage): void
  /** The client is ready: starts listening for messages that the server initiates. */
  listen(): void
  /** Closes the session. */
  leave(signal: AbortSignal): Promise<void>
}

type Deps = {
  wire: BridgeWire
  reconnect: Reconnect
  write(text: string): Promise<void>
  note(text: string): void
  giveUpAfterMs: number
  closing: AbortSignal
}

/** Long enough not to count as a failed connect. */
const steadyMs = 30_000
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'

export function createConversation({ wire, reconnect, write, note, giveUpAfterMs, closing }: Deps): Conversation {
  let connection: McpConnection = { mcpSession: null, version: null }
  let opening: Request | null = null
  /** The server has a session for us. */
  let isNamed = false
  let renewing: Promise<void> | null = null
  let listening = new AbortController()

  async function carry(message: RpcMessage, carried: CarryOptions, mayRenew = true): Promise<RpcRefusal | null> {
    const { signal, accepted = () => {}, heard = async () => {}, once = false } = carried
    const call = randomUUID()
    let tries = 0
    let renewals = 0
    let after: string | null = null
    let brokenSince: number | null = null
    for (;;) {
      const at = connection
      const began = performance.now()
      const outcome = await attempt(wire, { message, call, connection: at, after, signal, accepted, heard })
      if (outcome.kind === 'refused') {
        // A token bound to one session refuses the id that we generated.
        const { status, code } = outcome.refusal
        if (!isNamed && status === 404 && code !== rpc.noMethod && wire.withoutOwnName()) continue
        return outcome.refusal
      }
      if (outcome.kind === 'done') {
        // server/discover does not start a session.
        isNamed ||= message.kind === 'request' && message.method !== 'server/discover'
        return null
      }
      if (outcome.kind === 'unknown') {
        renewals += 1
        if (!mayRenew || opening === null || renewals > 2) return outcome.refusal
        after = null
        await renew(at.mcpSession)
        continue
      }
      after = outcome.after
      const now = performance.now()
      if (now - began > steadyMs) {
        tries = 0
        brokenSince = null
      }
      tries += 1
      brokenSince ??= now
      if (once || isHopeless(outcome.error) || now - brokenSince > giveUpAfterMs) throw wire.explain(outcome.error)
      await reconnect.waitForServer(true, signal)
      if (tries > 1) await delay(backoff(tries - 1, 50, 5000), undefined, { signal })
    }
  }

  /** Repeats the client's `initialize` on a new connection, without the client noticing. */
  function renew(known: string | null): Promise<void> {
    if (connection.mcpSession !== known) return Promise.resolve()
    renewing ??= replay().finally(() => {
      renewing = null
    })
    return renewing
  }

  async function replay(): Promise<void> {
    if (opening === null) return
    note('The server no longer knows this connection. Reconnecting the client.')
    const first = opening
    const id = randomUUID()
    const again: Request = {
      ...first,
      id,
      text: JSON.stringify({ ...ownJson(first.text, 'The introduction', isRecord), id }),
    }
    const heard = async (said: RpcMessage, answer: IncomingMessage) => {
      if (said.kind === 'response' && said.id === id) open(first, said, answer)
    }
    const before = connection
    const refusal = await carry(again, { signal: closing, heard }, false)
    if (refusal !== null) throw new Error(refusal.message)
    if (connection === before) throw new Error('The server refused to resume this connection.')
    const ready = readMessage(ownJson(initialized, 'The notice', anyJson), initialized)
    if (ready) await carry(ready, { signal: closing }, false)
    hear()
  }

  function open(request: Request, response: RpcMessage, answer: IncomingMessage): void {
    const result = jsonOrNull(response.text, isRecord)?.['result']
    if (!isRecord(result)) return
    const session = answer.headers['mcp-session-id']
    const version = result['protocolVersion']
    opening = request
    connection = {
      mcpSession: typeof session === 'string' ? session : null,
      version: typeof version === 'string' ? version : null,
    }
  }

  function hear(): void {
    listening.abort()
    listening = new AbortController()
    if (connection.mcpSession === null) return
    const signal = AbortSignal.any([closing, listening.signal])
    void listenToServer({
      wire,
      reconnect,
      connection,
      write,
      note,
      signal,
      unknown: () => renew(connection.mcpSession),
    })
  }

  return {
    carry,
    open,
    listen: hear,
    async leave(signal) {
      listening.abort()
      if (!isNamed) return
      const answer = await wire.send({ method: 'DELETE', headers: connectionHeaders(connection), signal })
      answer.resume()
    },
  }
}

type StreamDeps = {
  wire: BridgeWire
  reconnect: Reconnect
  connection: McpConnection
  write(text: string): Promise<void>
  note(text: string): void
  signal: AbortSignal
  /** The server no longer knows the connection. */
  unknown(): Promise<void>
}

/** Listens for messages that the server initiates, and reconnects from the last event. */
async function listenToServer(deps: StreamDeps): Promise<void> {
  const { signal, note } = deps
  let lastId: string | null = null
  const onId = (id: string) => {
    lastId = id
  }
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const outcome = await listenOnce(deps, lastId, onId)
      if (outcome === 'over') return
      if (outcome === 'heard') attempt = 1
    } catch {
      // Disconnected: retry when a server is running. No call is waiting, so none is started.
    }
    if (signal.aborted) return
    try {
      await delay(backoff(attempt, 100, 5000), undefined, { signal })
      await deps.reconnect.waitForServer(false, signal)
    } catch (error) {
      if (!signal.aborted) note(error instanceof Error ? error.message : String(error))
      await delay(5000, undefined, { signal }).catch(() => {})
    }
  }
}

async function listenOnce(deps: StreamDeps, lastId: string | null, onId: (id: string) => void): Promise<string> {
  const { wire, connection, write, note, signal } = deps
  const resume = lastId === null ? {} : { 'last-event-id': lastId }
  const headers = { accept: 'text/event-stream', ...connectionHeaders(connection), ...resume }
  const answer = await wire.send({ method: 'GET', headers, signal })
  const status = answer.statusCode ?? 0
  if (status < 300) {
    for await (const message of messagesOf(answer, onId)) await write(message.text)
    return 'heard'
  }
  const refusal = await refusalOf(answer)
  if (status === 404) {
    await deps.unknown().catch((error: unknown) => note(error instanceof Error ? error.message : String(error)))
    return 'over'
  }
  // 409: the server has not noticed that the last stream ended. 405: it initiates no messages.
  if (status === 409 || status >= 500) return 'again'
  if (status !== 405) note(`Can't receive messages that the server initiates: ${refusal.message}`)
  return 'over'
}
