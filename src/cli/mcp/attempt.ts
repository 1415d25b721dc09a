import type { IncomingMessage } from 'node:http'
import { claimedVersion, headersOf, connectionHeaders, type McpConnection } from './headers.ts'
import { rpc, type RpcMessage, type Request } from './messages.ts'
import { messagesOf, refusalOf, type RpcRefusal } from './replies.ts'
import type { BridgeWire } from './wire.ts'
import { isRecord, jsonOrNull, UnreadableJson } from '../../lib/parse-json.ts'

export type Attempt = {
  readonly message: RpcMessage
  /** The same for all attempts of a message, so that the server recognises a repeat. */
  readonly call: string
  readonly connection: McpConnection
  /** The last event id of an earlier attempt, to resume its response. */
  readonly after: string | null
  readonly signal: AbortSignal
  /** The server has the whole message. */
  accepted(): void
  heard(message: RpcMessage, answer: IncomingMessage): Promise<void>
}
export type AttemptOutcome =
  | { readonly kind: 'done' }
  /** The connection ended before the response was complete. Retry, from `after` if set. */
  | { readonly kind: 'broken'; readonly error: Error; readonly after: string | null }
  /** The server does not know the MCP session. */
  | { readonly kind: 'unknown'; readonly refusal: RpcRefusal }
  | { readonly kind: 'refused'; readonly refusal: RpcRefusal }

const awayStatuses = [502, 503, 504]

/** Sends a message once, or resumes its response, and reads until the response is complete. */
export async function attempt(wire: BridgeWire, tried: Attempt): Promise<AttemptOutcome> {
  const { message, connection, signal, accepted } = tried
  let { after } = tried
  const broken = (error: Error): AttemptOutcome => ({ kind: 'broken', error, after })
  try {
    const answer = await open(wire, tried)
    const status = answer.statusCode ?? 0
    if (awayStatuses.includes(status)) return broken(new Error((await refusalOf(answer)).message))
    accepted()
    if (status >= 300) {
      const refusal = await refusalOf(answer)
      const isUnknown = status === 404 && connection.mcpSession !== null && claimedVersion(message) === null
      if (isUnknown) return { kind: 'unknown', refusal }
      if (after === null) return { kind: 'refused', refusal }
      after = null
      return broken(new Error(refusal.message))
    }
    if (message.kind !== 'request') {
      answer.resume()
      return { kind: 'done' }
    }
    const isResumed = after !== null
    const onId = (id: string) => {
      after = id
    }
    for await (const said of messagesOf(answer, connection.mcpSession === null ? undefined : onId)) {
      if (isResumed && isForgotten(said, message)) break
      await tried.heard(said, answer)
      if (said.kind !== 'response' || said.id !== message.id) continue
      answer.resume()
      return { kind: 'done' }
    }
    answer.resume()
    // Nothing to resume: send the call again.
    if (isResumed) after = null
    return broken(new Error('The response ended before the result.'))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error)) throw error
    return error instanceof UnreadableJson ? { kind: 'refused', refusal: nonsense } : broken(error)
  }
}

function open(wire: BridgeWire, { message, call, connection, after, signal }: Attempt): Promise<IncomingMessage> {
  if (after !== null) {
    const headers = { accept: 'text/event-stream', ...connectionHeaders(connection), 'last-event-id': after }
    return wire.send({ method: 'GET', headers, signal })
  }
  const headers = headersOf(message, connection)
  if (message.kind === 'request') headers['x-signalbox-call'] = call
  return wire.send({ method: 'POST', headers, body: message.text, signal })
}

/** The server stopped before it stored the call, and reports that instead of the rest of the response. */
function isForgotten(said: RpcMessage, request: Request): boolean {
  if (said.kind !== 'response' || said.id !== request.id) return false
  const error = jsonOrNull(said.text, isRecord)?.['error']
  return isRecord(error) && error['code'] === rpc.failed
}

const nonsense: RpcRefusal = {
  status: 200,
  code: null,
  message: 'The response of the server is not JSON.',
  data: undefined,
}
