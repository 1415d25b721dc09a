import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { Failure } from '../failure.ts'
import { createConversation } from './conversation.ts'
import { claimedVersion } from './headers.ts'
import { linesOf, createLineOutput } from './lines.ts'
import { errorText, readMessages, rpc, type RpcMessage, type Request, type Statement } from './messages.ts'
import { createReconnect, type BridgeTimeouts } from './reconnect.ts'
import type { BridgeWire } from './wire.ts'

type Deps = {
  input: Readable
  output: Writable
  wire: BridgeWire
  start: (() => Promise<void>) | null
  note(text: string): void
  patience?: Partial<BridgeTimeouts>
}
export type Bridge = {
  /** Resolves when the client is gone and the session is closed. */
  readonly done: Promise<void>
  stop(): void
}

const mostBytes = 16 * 1024 * 1024
/** With more bytes in flight, no more input is read. */
const mostUnderway = 4 * mostBytes
const usual: BridgeTimeouts = {
  startAfterMs: 10_000,
  giveUpAfterMs: 5 * 60_000,
  introductionMs: 5000,
  graceMs: 500,
  goodbyeMs: 2500,
}

/** Bridges MCP on stdio to `/mcp` of a server. Messages pass unchanged. */
export function createBridge({ input, output, wire, start, note, patience }: Deps): Bridge {
  const closing = new AbortController()
  const limits = { ...usual, ...patience }
  const inFlight = createInFlightLimit(mostUnderway)
  const reconnect = createReconnect({ wire, start, patience: limits, note, closing: closing.signal })
  const { giveUpAfterMs, introductionMs, graceMs, goodbyeMs } = limits
  const { write } = createLineOutput(output)
  const conversation = createConversation({ wire, reconnect, write, note, giveUpAfterMs, closing: closing.signal })
  const underway = new Map<string, { abort(): void; modern: boolean }>()
  const works = new Set<Promise<void>>()
  // No message overtakes `initialize`.
  let introduced = Promise.resolve()
  let initialized = introduced
  const stopped = Promise.withResolvers<void>()
  let wasStopped = false

  async function ask(request: Request, turn: Promise<void>): Promise<void> {
    const cancel = new AbortController()
    const signal = AbortSignal.any([closing.signal, cancel.signal])
    const key = JSON.stringify(request.id)
    const entry = { abort: () => cancel.abort(), modern: claimedVersion(request) !== null }
    underway.set(key, entry)
    const accepted = inFlight.take(request.text.length)
    try {
      await turn
      signal.throwIfAborted()
      const refusal = await conversation.carry(request, {
        signal,
        accepted,
        async heard(said, answer) {
          if (request.method === 'initialize' && said.kind === 'response') conversation.open(request, said, answer)
          await write(said.text)
        },
      })
      if (refusal) {
        const { code, message, data } = refusal
        await write(errorText(request.id, code ?? rpc.failed, message, data))
      }
    } catch (error) {
      if (!signal.aborted) await write(errorText(request.id, rpc.failed, errorWithHint(error)))
    } finally {
      accepted()
      if (underway.get(key) === entry) underway.delete(key)
    }
  }

  async function tell(message: Statement, turn: Promise<void>): Promise<void> {
    const isCancel = message.kind === 'notification' && message.method === 'notifications/cancelled'
    if (isCancel) {
      const call = underway.get(JSON.stringify(message.params['requestId']))
      call?.abort()
      // Since 2026-07-28, closing the connection cancels the call.
      if (call?.modern ?? claimedVersion(message) !== null) return
    }
    const accepted = inFlight.take(message.text.length)
    try {
      await turn
      const refusal = await conversation.carry(message, { signal: closing.signal, accepted, once: isCancel })
      if (refusal) note(`The server refused a message: ${refusal.message}`)
      if (message.kind === 'notification' && message.method === 'notifications/initialized') conversation.listen()
    } catch (error) {
      if (!closing.signal.aborted) note(errorWithHint(error))
    } finally {
      accepted()
    }
  }

  function take(message: RpcMessage): void {
    const turn = introduced
    const work = message.kind === 'request' ? ask(message, turn) : tell(message, turn)
    works.add(work)
    void work.finally(() => works.delete(work))
    if (message.kind === 'response') return
    if (message.method === 'initialize') initialized = work
    if (message.method === 'initialize' || message.method === 'notifications/initialized') introduced = work
  }

  async function read(): Promise<void> {
    for await (const line of linesOf(input, mostBytes)) {
      if (line === null)
        await write(errorText(null, rpc.invalid, 'The message is larger than 16 MB. Send smaller messages.'))
      else if (line.trim() !== '') {
        const read = readMessages(line)
        if ('code' in read) await write(errorText(null, read.code, read.message))
        else for (const message of read.messages) take(message)
      }
      await Promise.race([inFlight.free(), stopped.promise])
    }
  }

  async function run(): Promise<void> {
    // Find or start the server before the first message: clients wait only briefly for the first response.
    reconnect.waitForServer(true, closing.signal).catch((error: unknown) => {
      if (!closing.signal.aborted) note(errorWithHint(error))
    })
    try {
      await read()
    } catch (error) {
      if (!wasStopped) note(`Failed to read from the client: ${errorWithHint(error)}`)
    }
    if (!wasStopped) {
      await withTimeLimit(Promise.race([initialized, stopped.promise]), introductionMs)
      await Promise.race([Promise.allSettled(works), stopped.promise, delay(graceMs, undefined, { ref: false })])
    }
    closing.abort()
    const leaving = conversation.leave(AbortSignal.timeout(goodbyeMs)).catch(() => {
      note('The server could not be told that the session ended.')
    })
    await withTimeLimit(Promise.all([leaving, Promise.allSettled(works)]), goodbyeMs)
  }

  return {
    done: run(),
    stop() {
      wasStopped = true
      stopped.resolve()
      input.destroy()
    },
  }
}

function errorWithHint(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof Failure && error.hint !== undefined ? `${error.message} ${error.hint}` : error.message
}

/** Limits the bytes in flight to the server, so that a fast client is read more slowly. */
type InFlightLimit = {
  /** Call the returned function when the message has arrived; repeated calls do nothing. */
  take(size: number): () => void
  /** Resolves when below the limit. */
  free(): Promise<void>
}

function createInFlightLimit(most: number): InFlightLimit {
  let underway = 0
  let waiting: { promise: Promise<void>; resolve(): void } | null = null
  return {
    take(size) {
      let left = size
      underway += size
      return () => {
        underway -= left
        left = 0
        if (underway > most) return
        waiting?.resolve()
        waiting = null
      }
    },
    free() {
      if (underway <= most) return Promise.resolve()
      waiting ??= Promise.withResolvers<void>()
      return waiting.promise
    },
  }
}
