import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import { appId } from './slack-workspace.ts'

export type Envelope = {
  type: string
  envelope_id: string
  payload: Record<string, unknown>
  accepts_response_payload: boolean
  retry_attempt?: number
  retry_reason?: string
}
export type SlackAck = { envelope_id: string; payload?: unknown }

type Waiting = { envelope: Envelope; timers: NodeJS.Timeout[]; isLast: boolean; resolve: (status: number) => void }

/** Slack's side of Socket Mode: tickets, envelopes to one of the connections, and again if nobody acknowledges. */
export function createSlackSockets(server: Server, retryMs: readonly number[]) {
  const tickets = new Set<string>()
  const connections = new Set<WebSocket>()
  const waiting = new Map<string, Waiting>()
  const pending: Envelope[] = []
  const acks: SlackAck[] = []
  const sent: Envelope[] = []
  let opened = 0
  /** Receives envelopes before they are sent; false keeps one back. */
  let gate: (envelope: Envelope) => boolean = () => true
  let hearsAcks = true

  const socketServer = new WebSocketServer({
    server,
    verifyClient: ({ req }: { req: IncomingMessage }) =>
      tickets.delete(new URL(req.url ?? '/', 'ws://slack').searchParams.get('ticket') ?? ''),
  })
  socketServer.on('connection', (socket) => {
    connections.add(socket)
    opened += 1
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => {})
    socket.on('message', (raw: Buffer) => {
      if (!hearsAcks) return
      const ack = JSON.parse(raw.toString()) as SlackAck
      acks.push(ack)
      const entry = waiting.get(ack.envelope_id)
      if (!entry) return
      settle(ack.envelope_id, entry, 200)
    })
    const debug = { host: 'emulated', build_number: 1, approximate_connection_time: 18_060 }
    const hello = { type: 'hello', num_connections: connections.size, debug_info: debug }
    socket.send(JSON.stringify({ ...hello, connection_info: { app_id: appId } }))
    for (const envelope of pending.splice(0)) deliver(envelope)
  })

  function settle(id: string, entry: Waiting, status: number): void {
    for (const timer of entry.timers) clearTimeout(timer)
    waiting.delete(id)
    entry.resolve(status)
  }

  const readySockets = () => [...connections].filter((socket) => socket.readyState === socket.OPEN)

  function deliver(envelope: Envelope): void {
    if (!gate(envelope)) return
    const [socket] = readySockets()
    if (!socket) return void pending.push(envelope)
    sent.push(envelope)
    socket.send(JSON.stringify(envelope))
  }

  return {
    acks,
    sent,
    /** How many connections were ever made. */
    opened: () => opened,
    ready: () => readySockets().length,
    ticket(origin: string): string {
      const ticket = randomUUID()
      tickets.add(ticket)
      return `${origin}/link/?ticket=${ticket}&app_id=${appId}`
    },
    keepBack(test: (envelope: Envelope) => boolean): void {
      gate = (envelope) => !test(envelope)
    },
    /** Events come again until they are acknowledged; clicks and commands come once. */
    push(type: string, payload: Record<string, unknown>) {
      const isEvent = type === 'events_api'
      const id = randomUUID()
      const envelope: Envelope = { type, envelope_id: id, payload, accepts_response_payload: !isEvent }
      if (isEvent) Object.assign(envelope, { retry_attempt: 0, retry_reason: '' })
      const acked = new Promise<number>((resolve) => {
        waiting.set(id, { envelope, timers: [], isLast: false, resolve })
      })
      const again = (ms: number, index: number) =>
        setTimeout(() => {
          const entry = waiting.get(id)
          if (entry) entry.isLast = index === retryMs.length - 1
          deliver({ ...envelope, retry_attempt: index + 1, retry_reason: 'timeout' })
        }, ms)
      deliver(envelope)
      if (isEvent) waiting.get(id)?.timers.push(...retryMs.map(again))
      return { acked, id }
    },
    /** Acknowledgements get lost on their way, until the returned function is called. */
    loseAcknowledgements() {
      hearsAcks = false
      return () => {
        hearsAcks = true
      }
    },
    /** Slack gives up what it sent for the last time: then only the history has it. */
    unacknowledged: () => [...waiting.values()].filter(({ isLast }) => !isLast).map(({ envelope }) => envelope),
    /** Any frame, to all connections; also ones that Slack would never send. */
    raw(frame: unknown): void {
      for (const socket of connections) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
    },
    /** `warning` and `refresh_requested` announce an end; `link_disabled` is final. */
    disconnect(reason = 'refresh_requested'): void {
      this.raw({ type: 'disconnect', reason, debug_info: { host: 'emulated' } })
    },
    /** As Slack does some seconds after it announced it. */
    closeOldest(): void {
      const [oldest] = connections
      oldest?.close(1000)
    },
    /** As if the network were gone. */
    drop(): void {
      for (const socket of connections) socket.terminate()
    },
    /** Nothing is read or answered any more, not even pings, although the connection seems open. */
    freeze(): void {
      for (const socket of connections) socket.pause()
    },
    close(): void {
      for (const { timers } of waiting.values()) for (const timer of timers) clearTimeout(timer)
      for (const socket of connections) socket.terminate()
      socketServer.close()
    },
  }
}
