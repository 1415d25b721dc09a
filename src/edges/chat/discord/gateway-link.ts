import { WebSocket, type RawData } from 'ws'
import type { Clock } from '../../../lib/clock.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { Logger } from '../../../lib/log.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { GatewayFrame, Hello } from './frames.ts'

export const ops = { dispatch: 0, heartbeat: 1, identify: 2, resume: 6, reconnect: 7, invalid: 9, hello: 10, ack: 11 }

const helloMs = 10_000
/** From our greeting to READY or RESUMED. What was missed comes in between. */
const greetedMs = 60_000
const closeMs = 1000
/** A server with thousands of channels comes as one frame. */
const mostFrameBytes = 32_000_000
/** Above this many events that wait to be saved, the socket is not read. */
const mostWaiting = 200
/** Discord ends a session that is closed with 1000 or 1001. With any other code it can be resumed. */
const resumableClose = 4900

type Deps = {
  readonly url: string
  readonly clock: Clock
  readonly log: Logger
  /** What to send after HELLO. */
  greeting(): object
  /** The last event that is done with. */
  seq(): number | null
  /** One event after another. If it rejects, the connection is closed, and the events from this one on come again. */
  take(type: string, data: unknown, seq: number): Promise<void>
}

export type LinkEnd = {
  readonly kind: 'ended'
  readonly code: number
  readonly error: string
  /** How long it served; null if it never did. */
  readonly servedMs: number | null
  /** Discord said that the session is over. */
  readonly invalid: boolean
}
export type Link = {
  readonly ended: Promise<LinkEnd>
  /** After what is being saved. */
  close(): Promise<void>
  terminate(): void
}

/** One connection to the gateway, from the handshake until everything that came by it is done with. */
export function openLink({ url, clock, log, greeting, seq, take }: Deps): Link {
  const socket = new WebSocket(url, {
    handshakeTimeout: helloMs,
    maxPayload: mostFrameBytes,
    followRedirects: false,
    perMessageDeflate: false,
  })
  const ended = Promise.withResolvers<LinkEnd>()
  const queue = createSerialQueue()
  let waiting = 0
  /** Events that have not begun are left: they come again. */
  let isLeaving = false
  let isAcked = true
  let invalid = false
  let servingSince: number | null = null
  let error: string | null = null
  let watch = clock.at(clock.now() + helloMs, () => giveUp('no greeting in time'))
  let heartbeat: Disposable | null = null

  function giveUp(why: string): void {
    error ??= why
    socket.terminate()
  }

  /** Ends the connection so that it can be resumed. */
  function leave(why: string): void {
    error ??= why
    if (socket.readyState === WebSocket.CONNECTING) return socket.terminate()
    socket.close(resumableClose)
    watch[Symbol.dispose]()
    watch = clock.at(clock.now() + closeMs, () => socket.terminate())
  }

  function send(op: number, d: unknown): void {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ op, d }))
  }

  /** The last event that is saved, not the last one that came: Discord may forget what we say we have. */
  const beat = (): void => send(ops.heartbeat, seq())

  function beatAfter(firstMs: number, everyMs: number): void {
    const next = (): void => {
      // While we do not read, acknowledgements wait too.
      if (!isAcked && !socket.isPaused) return giveUp('no answer to the heartbeat')
      isAcked = false
      beat()
      heartbeat = clock.at(clock.now() + everyMs, next)
    }
    heartbeat = clock.at(clock.now() + firstMs, next)
  }

  function greet(data: unknown): void {
    const hello = Hello.safeParse(data)
    if (!hello.success) return giveUp('a greeting in an unknown format')
    const { heartbeat_interval: ms } = hello.data
    heartbeat?.[Symbol.dispose]()
    // The first one at a random moment, as Discord asks.
    beatAfter(ms * Math.random(), ms)
    watch[Symbol.dispose]()
    watch = clock.at(clock.now() + greetedMs, () => giveUp('no session in time'))
    socket.send(JSON.stringify(greeting()))
  }

  function accept({ t, s, d }: GatewayFrame): void {
    if (!t || typeof s !== 'number') return log.warn({}, 'Discord sent an event without a type or number')
    waiting += 1
    if (waiting >= mostWaiting) socket.pause()
    const done = queue.run(async () => {
      if (isLeaving) return
      await take(t, d, s)
      if (t !== 'READY' && t !== 'RESUMED') return
      servingSince = clock.now()
      watch[Symbol.dispose]()
    })
    void done
      .catch((thrown: unknown) => {
        log.error({ type: t, error: String(thrown) }, 'not saved; Discord has to send it again')
        isLeaving = true
        leave(`an event was not saved: ${String(thrown)}`)
      })
      .finally(() => {
        waiting -= 1
        if (waiting < mostWaiting) socket.resume()
      })
  }

  function receive(frame: GatewayFrame): void {
    switch (frame.op) {
      case ops.dispatch:
        return accept(frame)
      case ops.heartbeat:
        return beat()
      case ops.reconnect:
        return leave('Discord asked for a new connection')
      case ops.invalid:
        invalid = frame.d !== true
        return leave('Discord ended the session')
      case ops.hello:
        return greet(frame.d)
      case ops.ack:
        isAcked = true
        return
      default:
        log.debug({ op: frame.op }, 'Discord sent a frame of unknown kind')
    }
  }

  socket.on('message', (data) => {
    const frame = jsonOrNull(textOf(data), GatewayFrame)
    if (frame) receive(frame)
    else log.warn({}, 'Discord sent a frame that is not JSON, or in an unknown format')
  })
  // `close` always follows.
  socket.on('error', ({ message }) => {
    error ??= message
  })
  socket.on('close', (code, reason) => {
    watch[Symbol.dispose]()
    heartbeat?.[Symbol.dispose]()
    const servedMs = servingSince === null ? null : clock.now() - servingSince
    const said = reason.toString().slice(0, 200)
    error ??= said === '' ? `the connection closed (${code})` : `${said} (${code})`
    const end: LinkEnd = { kind: 'ended', code, error, servedMs, invalid }
    // The next connection continues after the last event that is saved.
    void queue.idle().then(() => ended.resolve(end))
  })

  return {
    ended: ended.promise,
    async close() {
      isLeaving = true
      await queue.idle()
      if (socket.readyState === WebSocket.CLOSED) return
      leave('closed')
    },
    terminate: () => socket.terminate(),
  }
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString()
