import { setTimeout as delay } from 'node:timers/promises'
import type { Event } from '../domain/audit/schema.ts'
import { backoff } from '../lib/backoff.ts'
import { createSseReader } from '../client/sse.ts'
import { anyJson, ownJson } from '../lib/parse-json.ts'
import { exit, Failure } from './failure.ts'
import type { ByteStream } from './transport.ts'

type FollowOptions = {
  /** Opens the stream, after a cursor if there is one. */
  open(after: string | null): Promise<ByteStream>
  after: string | null
  /** Called on the first connect and each reconnect. */
  onOpen?(): Promise<void>
  onEvent(event: Event): Promise<void>
  /** Live messages, which are not stored and have no cursor. */
  onLive?(type: string, data: unknown): Promise<void>
  /** The connection was lost; it is retried after this time. */
  onGap(why: string, waitMs: number): void
  signal: AbortSignal
  wait?: (ms: number) => Promise<unknown>
}

const firstWait = 1000
const longestWait = 30_000

/** Follows events until aborted. After a gap it resumes behind the last event. */
export async function follow(options: FollowOptions): Promise<void> {
  const { signal, wait = (ms) => delay(ms, undefined, { signal }) } = options
  let last = options.after
  let attempt = 0
  let everOpened = false
  while (!signal.aborted) {
    try {
      const stream = await options.open(last)
      everOpened = true
      await options.onOpen?.()
      for await (const { type, data, id } of framesOf(stream)) {
        attempt = 0
        if (isEvent(data)) {
          await options.onEvent(data)
          last = id
        } else await options.onLive?.(type, data)
      }
      attempt++
      if (!signal.aborted) await pause('The server ended the stream.', attempt === 1)
    } catch (error) {
      if (signal.aborted) return
      // A first failure is final; a server that was there may come back.
      if (!everOpened || !isTransient(error)) throw error
      attempt++
      await pause('The connection was lost.')
    }
  }

  /** A stream also ends cleanly when a token expires: report only if the next try fails too. */
  async function pause(why: string, quietly = false): Promise<void> {
    const ms = backoff(attempt, firstWait, longestWait)
    if (!quietly) options.onGap(why, ms)
    await wait(ms).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }
}

/** Errors that may pass: a restarting server or a network problem. */
export function isTransient(error: unknown): boolean {
  if (error instanceof Failure) return error.exit === exit.noServer || error.exit === exit.failed
  if (error instanceof Error && 'status' in error) return Number(error.status) >= 500
  return error instanceof Error && 'code' in error
}

type StreamFrame = { type: string; data: unknown; id: string | null }

const isEvent = (data: unknown): data is Event => data !== null && typeof data === 'object' && 'cursor' in data

async function* framesOf({ chunks }: ByteStream): AsyncGenerator<StreamFrame> {
  const read = createSseReader()
  const decoder = new TextDecoder()
  for await (const chunk of chunks)
    for (const { type, id, data } of read(decoder.decode(chunk, { stream: true })))
      yield { type, id, data: ownJson(data, 'An event of the server', anyJson) }
}
