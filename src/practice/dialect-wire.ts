import type { AnyMessage, JsonRpcId, Stream } from '@agentclientprotocol/sdk/unstable'

/** Signalbox's own stream methods, beside ACP on the same connection. */
export type DialectWire = {
  send(message: { id?: JsonRpcId; method: string; params: Record<string, unknown> }): void
  /** The reply with this id, as text. */
  reply(id: JsonRpcId, signal: AbortSignal): Promise<string>
  /** An unused number or string. */
  newId(kind: 'number' | 'string'): JsonRpcId
  /** Called for messages that are not replies. */
  onUnsolicited: (method: string, words: string) => void
}

const fromServer = ['clearance/response', 'prompt/response', 'prompt/send', 'session/interrupt', 'nudge']

/** Takes the dialect's messages out of the stream, before the SDK rejects them as unknown. */
export function tapDialect(stream: Stream, write: (line: string) => void): { stream: Stream; seed: DialectWire } {
  const waiting = new Map<JsonRpcId, (words: string) => void>()
  // Far from the SDK's request ids, which count from 0.
  let count = 900_000

  const seed: DialectWire = {
    send: (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    newId(kind) {
      count += 1
      return kind === 'number' ? count : `practice-${count}`
    },
    reply: (id, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          waiting.delete(id)
          reject(new Error('cancelled'))
        }
        signal.addEventListener('abort', abort, { once: true })
        waiting.set(id, (words) => {
          signal.removeEventListener('abort', abort)
          waiting.delete(id)
          resolve(words)
        })
      }),
    onUnsolicited: () => {},
  }

  function isOurs(message: AnyMessage): boolean {
    const method = 'method' in message ? message.method : null
    const id = idOf(message)
    const waiter = id === undefined ? undefined : waiting.get(id)
    if (method === null) {
      waiter?.(messageText('an answer', id, message))
      return waiter !== undefined
    }
    if (!fromServer.includes(method)) return false
    const words = messageText(method, id, 'params' in message ? message.params : undefined)
    if (waiter) waiter(words)
    else seed.onUnsolicited(method, words)
    return true
  }

  const readable = stream.readable.pipeThrough(
    new TransformStream<AnyMessage, AnyMessage>({
      transform(message, controller) {
        if (!isOurs(message)) controller.enqueue(message)
      },
    }),
  )
  return { stream: { readable, writable: stream.writable }, seed }
}

/** The envelope's id, else the one in params. */
function idOf(message: AnyMessage): JsonRpcId | undefined {
  if ('id' in message) return message.id
  const params: unknown = 'params' in message ? message.params : undefined
  if (params === null || typeof params !== 'object' || !('id' in params)) return undefined
  return typeof params.id === 'string' || typeof params.id === 'number' ? params.id : undefined
}

const messageText = (what: string, id: JsonRpcId | undefined, body: unknown): string =>
  `${what}${id === undefined ? '' : ` id=${JSON.stringify(id)}`} ${JSON.stringify(body)}`
