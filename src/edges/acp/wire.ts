import type { AnyMessage, ClientApp, ClientContext } from '@agentclientprotocol/sdk'
import type { Logger } from '../../lib/log.ts'
import { fail, ok, type Result } from '../../lib/result.ts'

/** Between the lines of the agent and the SDK: ids and keys, so that two lives of the server are one to the agent. */
export type Wire = {
  /** A message of the agent that is not an update. */
  take(message: object, offset: number): void
  /**
   * A request under an id of our choosing. Asked again after a restart under the same id it is written once; the agent's one
   * answer settles it. `offset` is where the answer stood.
   */
  request<T>(id: string, method: string, params: object): Promise<Result<{ value: T; offset: number }>>
  notify(method: string, params: object): Promise<void>
  /** A line that is not the SDK's. */
  send(key: string, message: object): Promise<void>
  /** Where a call of the agent stood. */
  offsetOf(requestId: unknown): number
  close(): void
}

export function createWire(deps: {
  client: ClientApp
  log: Logger
  /** Told apart from every other life of the server. */
  life: string
  write(key: string, text: string): Promise<Result<void>>
  /** An answer nobody waits for, or a call that was answered: its line has done what it could. */
  settled(offset: number): void
}): Wire {
  const { log, life } = deps
  const names = new WeakMap<object, string>()
  const waiting = new Map<string, number>()
  const answeredAt = new Map<string, number>()
  const calls = new Map<string, number>()
  let count = 0
  let closed = false
  let incoming: ReadableStreamDefaultController<AnyMessage> | null = null

  async function write(key: string, message: object): Promise<void> {
    const written = await deps.write(key, `${JSON.stringify(message)}\n`)
    if (!written.ok) throw new Error(written.fault.message)
  }

  async function outgoing(message: AnyMessage): Promise<void> {
    // A server that goes says nothing more: the next one answers in its place.
    if (closed) return
    if (!('method' in message)) {
      const id = JSON.stringify(message.id)
      const offset = calls.get(id)
      calls.delete(id)
      await write(offset === undefined ? `${life}-x${(count += 1)}` : `reply-${offset}`, message)
      if (offset !== undefined) deps.settled(offset)
      return
    }
    if (!('id' in message)) return write(`${life}-n${(count += 1)}`, message)
    const { params } = message
    const named = typeof params === 'object' && params !== null ? names.get(params) : undefined
    const id = named ?? `${life}-${String(message.id)}`
    waiting.set(id, Number(message.id))
    await write(id, { ...message, id })
  }

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      incoming = controller
    },
  })
  const connection = deps.client.connect({ readable, writable: new WritableStream({ write: outgoing }) })
  const agent: ClientContext = connection.agent

  return {
    take(message, offset) {
      const id = 'id' in message ? message.id : undefined
      if ('method' in message) {
        if (id !== undefined) calls.set(JSON.stringify(id), offset)
        incoming?.enqueue(message as AnyMessage)
        if (id === undefined) deps.settled(offset)
        return
      }
      const asked = typeof id === 'string' ? waiting.get(id) : undefined
      if (asked === undefined) {
        log.warn({ offset }, 'the agent answered a request that was never made')
        deps.settled(offset)
        return
      }
      waiting.delete(String(id))
      answeredAt.set(String(id), offset)
      incoming?.enqueue({ ...message, id: asked } as AnyMessage)
    },
    async request<T>(id: string, method: string, params: object) {
      names.set(params, id)
      try {
        const value = await agent.request<T>(method, params)
        return ok({ value, offset: take(answeredAt, id) })
      } catch (error) {
        const offset = take(answeredAt, id)
        const { code, message, data } = error as { code?: number; message?: string; data?: unknown }
        return fail({
          kind: 'unavailable',
          code: typeof code === 'number' ? 'agent_refused' : 'agent_gone',
          message: wordsOf(message ?? String(error), data),
          details: { rpcCode: code ?? null, offset, data: data ?? null },
        })
      }
    },
    notify: (method, params) => agent.notify(method, params),
    send: write,
    offsetOf: (requestId) => calls.get(JSON.stringify(requestId)) ?? -1,
    close() {
      closed = true
      connection.close()
    },
  }
}

function take(map: Map<string, number>, key: string): number {
  const value = map.get(key) ?? -1
  map.delete(key)
  return value
}

/** Agents put the cause in different places; "Internal error" alone helps nobody. */
function wordsOf(message: string, data: unknown): string {
  const detail =
    typeof data === 'string'
      ? data
      : typeof data === 'object' && data !== null
        ? (['message', 'details', 'detail'] as const)
            .map((name) => (data as Record<string, unknown>)[name])
            .find((value) => typeof value === 'string')
        : undefined
  return typeof detail === 'string' && detail !== message ? `${message}: ${detail}` : message
}
