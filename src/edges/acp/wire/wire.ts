import type { AnyMessage, ClientApp, ClientContext } from '@agentclientprotocol/sdk'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'

/** Maps the SDK's messages to stable ids and keys, so that a restart of the server is invisible to the agent. */
export type Wire = {
  /** Takes a message of the agent that is not an update. */
  take(message: object, offset: number): void
  /**
   * Sends a request with this id. Repeated after a restart with the same id, it is written once, and the agent's one
   * answer settles it. `offset` is that of the answer.
   */
  request<T>(id: string, method: string, params: object): Promise<Result<{ value: T; offset: number }>>
  notify(method: string, params: object): Promise<void>
  /**
   * Requests of an earlier server that will be repeated: an answer that arrives first is kept for them. Other early
   * answers are dropped.
   */
  expect(ids: readonly string[]): void
  /** Writes a line that is not the SDK's. A failed write is only logged. */
  send(key: string, message: object): Promise<void>
  /** Resolves when few enough calls are open to read more. */
  ready(): Promise<void>
  /** The offset of a call of the agent. */
  offsetOf(requestId: unknown): number
  close(): void
}

/** Our own code: the request could not be written. */
const unwritable = -32099
const mostOpen = 500
/** At most this many are logged. */
const mostComplaints = 20

export function createWire(deps: {
  client: ClientApp
  log: Logger
  /** Unique for each run of the server. */
  life: string
  write(key: string, text: string): Promise<Result<void>>
  /** The line has no further effect: an unexpected answer, or a call that was answered. */
  settled(offset: number): void
}): Wire {
  const { log, life } = deps
  const names = new WeakMap<object, string>()
  const waiting = new Map<string, number>()
  const answeredAt = new Map<string, number>()
  const calls = new Map<string, number>()
  const early = new Map<string, { message: object; offset: number }>()
  const answered = createWakeSignal()
  let expected = new Set<string>()
  let complaints = 0
  let count = 0
  let closed = false
  let incoming: ReadableStreamDefaultController<AnyMessage> | null = null

  async function write(key: string, message: object): Promise<void> {
    const written = await deps.write(key, `${JSON.stringify(message)}\n`)
    if (!written.ok) throw new Error(written.fault.message)
  }

  async function outgoing(message: AnyMessage): Promise<void> {
    // A stopping server sends nothing more; the next one answers.
    if (closed) return
    if (!('method' in message)) {
      const id = JSON.stringify(message.id)
      const offset = calls.get(id)
      calls.delete(id)
      await attempt(offset === undefined ? `${life}-x${(count += 1)}` : `reply-${offset}`, message)
      answered.wake()
      if (offset !== undefined) deps.settled(offset)
      return
    }
    if (!('id' in message)) return attempt(`${life}-n${(count += 1)}`, message)
    const { params } = message
    const named = typeof params === 'object' && params !== null ? names.get(params) : undefined
    const id = named ?? `${life}-${String(message.id)}`
    waiting.set(id, Number(message.id))
    const answer = early.get(id)
    early.delete(id)
    if (answer) return takeAnswer(id, answer.message, answer.offset)
    const written = await deps.write(id, `${JSON.stringify({ ...message, id })}\n`)
    if (written.ok || !waiting.delete(id)) return
    passToSdk({ jsonrpc: '2.0', id: message.id, error: { code: unwritable, message: written.fault.message } })
  }

  /** Logs a failed write instead of throwing, which would end the SDK's connection. */
  async function attempt(key: string, message: object): Promise<void> {
    await write(key, message).catch((error: unknown) =>
      complain({ error: String(error) }, 'the agent could not be notified'),
    )
  }

  function complain(fields: Record<string, unknown>, words: string): void {
    complaints += 1
    if (complaints <= mostComplaints) log.warn(fields, words)
    if (complaints === mostComplaints) log.warn({}, 'further invalid calls and answers are ignored')
  }

  function passToSdk(message: object): void {
    if (!closed) incoming?.enqueue(message as AnyMessage)
  }

  const isBusy = (): boolean => !closed && calls.size > mostOpen

  function takeCall(id: unknown, message: object, offset: number): void {
    if (id === undefined) {
      passToSdk(message)
      return deps.settled(offset)
    }
    const key = JSON.stringify(id)
    const open = calls.get(key)
    // A held call that is read again: handle it once.
    if (open === offset) return
    if (open !== undefined || (typeof id !== 'string' && typeof id !== 'number')) {
      complain({ offset }, "a call that can't be answered was left out: its id is in use or missing")
      return deps.settled(offset)
    }
    calls.set(key, offset)
    passToSdk(message)
  }

  function takeAnswer(id: unknown, message: object, offset: number): void {
    const name = typeof id === 'string' ? id : ''
    const asked = waiting.get(name)
    if (asked !== undefined) {
      waiting.delete(name)
      answeredAt.set(name, offset)
      passToSdk({ ...message, id: asked })
    } else if (expected.has(name)) {
      expected.delete(name)
      early.set(name, { message, offset })
    } else {
      complain({ offset }, 'the agent answered an unknown request')
      deps.settled(offset)
    }
  }

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      incoming = controller
    },
    cancel() {
      closed = true
      answered.wake()
    },
  })
  const connection = deps.client.connect({ readable, writable: new WritableStream({ write: outgoing }) })
  const agent: ClientContext = connection.agent

  return {
    take(message, offset) {
      const id = 'id' in message ? message.id : undefined
      if (!('method' in message)) takeAnswer(id, message, offset)
      else if (typeof message.method === 'string') takeCall(id, message, offset)
      else {
        complain({ offset }, 'skipped a call without a method')
        deps.settled(offset)
      }
    },
    expect(ids) {
      expected = new Set(ids)
      for (const [id, { offset }] of early) {
        if (ids.includes(id)) continue
        early.delete(id)
        deps.settled(offset)
      }
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
          message: errorText(message ?? String(error), data),
          details: { rpcCode: code ?? null, offset, data: data ?? null },
        })
      }
    },
    notify: (method, params) => agent.notify(method, params),
    send: attempt,
    offsetOf: (requestId) => calls.get(JSON.stringify(requestId)) ?? -1,
    async ready() {
      while (isBusy()) await answered.after(answered.count(), null)
    },
    close() {
      closed = true
      answered.wake()
      connection.close()
    },
  }
}

function take(map: Map<string, number>, key: string): number {
  const value = map.get(key) ?? -1
  map.delete(key)
  return value
}

/** Agents put the cause in different fields; "Internal error" alone does not help. */
function errorText(message: string, data: unknown): string {
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
