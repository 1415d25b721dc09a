import { pathOf } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import type { SessionDetail } from '../../client/contract/sessions.ts'
import { isOpen, type Message } from '../../domain/message/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { ServerConnection } from '../context.ts'
import { fieldOf } from '../json-fields.ts'
import { follow } from '../follow.ts'
import { afterEvent, readAsks, readPending, type LiveState } from './session-state.ts'
import type { LiveChunk, UpdatedMessage, LiveView } from './view.ts'

export type SessionWatch = AsyncDisposable & {
  readonly now: LiveState
  /** Resolves at the next change; rejects if the watch failed. */
  changed(): Promise<void>
  /** Updates the state after an action from here. */
  look(change: (before: LiveState) => Promise<Partial<LiveState>>): Promise<void>
  /** Called when a turn was cancelled, and before a later turn's prompt is shown. */
  whenTurns(listener: (what: 'cancelled' | 'next') => void): void
  /** Shows everything received so far. */
  catchUp(): Promise<void>
}

/** Follows a session in a view: first the existing messages, then new ones, each word once. */
export async function watchSession(options: {
  connection: ServerConnection
  id: Session['id']
  view: LiveView
  /** How many existing messages are shown. */
  last: number
  /** Messages that are known already and not shown again. */
  known: readonly Message[]
  onGap(why: string, waitMs: number): void
  onSkipped?(count: number): void
}): Promise<SessionWatch> {
  const { connection, id, view } = options
  const { client } = connection
  const stop = new AbortController()
  const opened = Promise.withResolvers<void>()
  let bell = Promise.withResolvers<void>()
  let now: LiveState = { status: 'created', reason: null, pending: [], asks: [], cancelled: false }
  let first = true
  let onTurn = (_what: 'cancelled' | 'next') => {}
  let prompts = 0
  /** Messages from here on may still change. */
  let since: string | null = null

  function change(next: LiveState): void {
    now = next
    bell.resolve()
    bell = Promise.withResolvers()
  }

  function show(messages: readonly Message[]): void {
    for (const message of messages) {
      const isPrompt = message.role === 'user' && !view.isWhole(message.id)
      if (isPrompt && prompts > 0) onTurn('next')
      if (isPrompt) prompts += 1
      view.message(message)
    }
    since = (messages.find(({ content }) => isOpen(content)) ?? messages.at(-1))?.timestamp ?? since
  }

  async function openAll(): Promise<void> {
    const session: SessionDetail = await client.getSession({ params: { id } })
    if (first) {
      for (const message of options.known) view.skip(message)
      const skipped = session.messages.slice(0, Math.max(0, session.messages.length - options.last))
      for (const message of skipped) view.skip(message)
      if (skipped.length > 0) options.onSkipped?.(skipped.length)
    }
    first = false
    show(session.messages)
    await view.flush()
    const [pending, asks] = await Promise.all([readPending(client, id), readAsks(client, id)])
    change({ ...now, status: session.status, pending, asks })
    opened.resolve()
  }

  async function catchUp(): Promise<void> {
    const from = since === null ? undefined : new Date(Date.parse(since) - 1).toISOString()
    show(await client.listMessages({ params: { id }, ...(from !== undefined && { query: { since: from } }) }))
    await view.flush()
  }

  const running = follow({
    open: (after) => {
      const path = pathOf(api.streamEvents, { query: { session: id } })
      const resume: Record<string, string> = after === null ? {} : { 'last-event-id': after }
      return connection.stream(path, { accept: 'text/event-stream', ...resume }, stop.signal)
    },
    after: null,
    onOpen: openAll,
    async onEvent(event) {
      view.event(event)
      if (event.type === 'queue.delivered' && event.data['outcome'] === 'cancelled') onTurn('cancelled')
      const messageId = fieldOf(event.data, 'id')
      const isAboutMessage = event.type === 'message.added' || event.type === 'message.completed'
      if (isAboutMessage && typeof messageId === 'string' && !view.isWhole(messageId)) await catchUp()
      const next = await afterEvent(client, id, now, event)
      // Show all messages before a turn or the session counts as over.
      if (next !== now) {
        if (next.pending.length < now.pending.length || next.asks.length > now.asks.length) await catchUp()
        change(next)
      }
      await view.flush()
    },
    async onLive(type, data) {
      if (type === 'message.chunk' && !view.chunk(data as LiveChunk)) await catchUp()
      if (type === 'message.updated') view.updated(data as UpdatedMessage)
      await view.flush()
    },
    onGap: options.onGap,
    signal: stop.signal,
  })
  // Rejects the current or the next `changed()`.
  const failed = running.then(
    () => {},
    (error: unknown) => {
      opened.reject(error)
      throw error
    },
  )
  failed.catch(() => {})
  try {
    await opened.promise
  } catch (error) {
    // The stream of events may be open already.
    stop.abort()
    throw error
  }
  return {
    get now() {
      return now
    },
    changed: () => Promise.race([bell.promise, failed]),
    async look(read) {
      const part = await read(now)
      change({ ...now, ...part })
    },
    whenTurns(listener) {
      onTurn = listener
    },
    catchUp,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running.catch(() => {})
    },
  }
}
