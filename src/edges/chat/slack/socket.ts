import { WebSocket, type RawData } from 'ws'
import { backoff } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { Logger } from '../../../lib/log.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Failure, Health } from '../adapter.ts'
import { OpenedSocket } from './check.ts'
import { SocketFrame } from './frames.ts'
import { isSlackAddress, type WebApi } from './web-api.ts'

type Deps = {
  /** Calls with the app-level token. */
  webApi: WebApi
  api: string
  clock: Clock
  log: Logger
  /** Resolves after the commit. If it rejects, the frame is not acknowledged, and Slack sends it again. */
  take(frame: SocketFrame): Promise<void>
  onHealth(state: Health['state'], error: string | null): void
}

const helloMs = 10_000
const closeMs = 1000
/** No frame, ping or pong for this long: the connection is dead, whatever TCP believes. */
const silenceMs = 30_000
const mostFrameBytes = 4_000_000
/** Above this many frames being taken, the socket is not read. */
const mostInFlight = 200

/** One connection, from the handshake to its end. */
type Link = { readonly socket: WebSocket; leaving: boolean }

/**
 * Slack's Socket Mode. A frame is acknowledged after its commit, on the connection it came by. When Slack announces an
 * end, the next connection is opened first, so that there is no gap. A lost connection is replaced at once.
 */
export function connectSocket(deps: Deps): AsyncDisposable {
  const { webApi, api, clock, log, onHealth } = deps
  const stop = new AbortController()
  /** All that are not closed yet. */
  const sockets = new Set<WebSocket>()
  /** Those that have said hello. */
  const links = new Set<Link>()
  const taking = new Set<Promise<void>>()
  let opening = false
  let failures = 0
  let timer: Disposable | null = null

  const isServed = () => [...links].some(({ leaving }) => !leaving)

  function openSoon(ms: number): void {
    if (stop.signal.aborted || opening || timer || isServed()) return
    timer = clock.at(clock.now() + ms, () => {
      timer = null
      void open()
    })
  }

  /** At once, unless connections keep ending soon after they began. */
  function replace(): void {
    failures += 1
    openSoon(failures === 1 ? 0 : jittered(backoff(failures - 1, 250, 30_000)))
  }

  async function open(): Promise<void> {
    if (stop.signal.aborted || opening || isServed()) return
    opening = true
    const failure = await openLink()
    opening = false
    if (stop.signal.aborted) return
    if (!failure) return openSoon(0)
    if (failure.kind === 'refused') return end('refused', failure.error)
    failures += 1
    if (links.size === 0) onHealth('reconnecting', failure.error)
    log.warn({ error: failure.error, failures }, 'no connection to Slack')
    openSoon(failure.kind === 'rate_limited' ? failure.retryAfterMs : jittered(backoff(failures, 250, 30_000)))
  }

  /** Null when the connection has said hello. */
  async function openLink(): Promise<Failure | null> {
    const opened = await webApi.call('apps.connections.open', {}, OpenedSocket, stop.signal)
    if (opened.kind !== 'answered') return opened
    const { url } = opened.value
    if (!isSlackAddress(url, api)) return { kind: 'transient', error: 'Slack named an address that is not its own' }
    const link: Link = { socket: openWebSocket(url), leaving: false }
    return new Promise((resolve) => attach(link, resolve))
  }

  function attach(link: Link, greeted: (failure: Failure | null) => void): void {
    const { socket } = link
    sockets.add(socket)
    let heardAt = clock.now()
    let watch = clock.at(heardAt + helloMs, () => socket.terminate())
    const look = (): void => {
      failures = 0
      if (clock.now() - heardAt >= silenceMs) return socket.terminate()
      if (socket.readyState === WebSocket.OPEN) socket.ping()
      watch = clock.at(clock.now() + silenceMs / 3, look)
    }
    const heard = () => {
      heardAt = clock.now()
    }
    socket.on('ping', heard)
    socket.on('pong', heard)
    socket.on('message', (data) => {
      heard()
      const frame = jsonOrNull(textOf(data), SocketFrame)
      if (!frame) return log.warn({}, 'Slack sent a frame that is not JSON')
      if (frame.type === 'disconnect') return leave(link, frame.reason ?? '')
      if (frame.type !== 'hello') return accept(link, frame)
      watch[Symbol.dispose]()
      watch = clock.at(clock.now() + silenceMs / 3, look)
      links.add(link)
      onHealth('connected', null)
      greeted(null)
    })
    // `close` always follows.
    let error = 'the connection closed'
    socket.on('error', ({ message }) => {
      error = message
    })
    socket.on('close', () => {
      watch[Symbol.dispose]()
      sockets.delete(socket)
      const wasServing = links.delete(link)
      greeted({ kind: 'transient', error })
      if (!wasServing || stop.signal.aborted) return
      if (links.size === 0) onHealth('reconnecting', error)
      if (!link.leaving) replace()
    })
  }

  /** Slack closes this connection soon, and still delivers on it until then. */
  function leave(link: Link, reason: string): void {
    if (reason === 'link_disabled') return end('refused', 'Socket Mode is turned off for this app')
    link.leaving = true
    replace()
  }

  function accept(link: Link, frame: SocketFrame): void {
    if (stop.signal.aborted) return
    if (frame.envelope_id === undefined) return log.warn({ type: frame.type }, 'Slack sent a frame without an id')
    const done = takeAndAcknowledge(link, frame).finally(() => {
      taking.delete(done)
      if (taking.size < mostInFlight) for (const { socket } of links) socket.resume()
    })
    taking.add(done)
    if (taking.size >= mostInFlight) link.socket.pause()
  }

  async function takeAndAcknowledge({ socket }: Link, frame: SocketFrame): Promise<void> {
    try {
      await deps.take(frame)
      // If the connection is gone, Slack sends it again, and it is recognised by its key.
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ envelope_id: frame.envelope_id }))
    } catch (error) {
      log.error({ envelope: frame.envelope_id, error: String(error) }, 'not saved, so not acknowledged')
    }
  }

  function end(state: 'refused' | 'stopped', error: string | null): void {
    if (stop.signal.aborted) return
    stop.abort()
    if (state === 'refused') void close()
    timer?.[Symbol.dispose]()
    onHealth(state, error)
  }

  /** What is being saved is acknowledged before the connections close. */
  async function close(): Promise<void> {
    await Promise.all(taking)
    const open = [...sockets]
    const closed = open.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
    for (const socket of open) socket.close(1000)
    await withTimeLimit(Promise.all(closed), closeMs)
    for (const socket of sockets) socket.terminate()
  }

  void open()
  return {
    async [Symbol.asyncDispose]() {
      end('stopped', null)
      await close()
    },
  }
}

function openWebSocket(url: string): WebSocket {
  return new WebSocket(url, {
    handshakeTimeout: helloMs,
    maxPayload: mostFrameBytes,
    followRedirects: false,
    perMessageDeflate: false,
  })
}

/** So that many servers do not come back at the same moment. */
const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2)

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString()
