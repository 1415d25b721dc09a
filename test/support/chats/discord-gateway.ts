import type { Server } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import { nextId } from './discord-guild.ts'

type Frame = { op: number; d: unknown; s: number | null; t: string | null }
type Session = { id: string; seq: number; acked: number; log: Frame[]; socket: WebSocket | null; isOver: boolean }
export type Identify = { token: string; intents: number }
export type Resume = { token: string; session_id: string; seq: number }

type Deps = {
  server: Server
  heartbeatMs: number
  origin(): string
  accepts(token: string): boolean
  readsMessages(): boolean
  /** What READY and GUILD_CREATE say. */
  ready(): object
  guild(): object
}

/** Discord's side of the gateway: sessions that can be resumed, with what was missed sent again. */
export function createDiscordGateway({ server, heartbeatMs, origin, accepts, readsMessages, ready, guild }: Deps) {
  const sessions = new Map<string, Session>()
  const sockets = new Set<WebSocket>()
  const identifies: Identify[] = []
  const resumes: Resume[] = []
  const heartbeats: unknown[] = []
  const closes: number[] = []
  let opened = 0
  let isAnswering = true
  let hearsAcks = true

  const socketServer = new WebSocketServer({ server })
  const send = (socket: WebSocket, frame: unknown): void => {
    if (socket.readyState === socket.OPEN) socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }
  const plain = (op: number, d: unknown): Frame => ({ op, d, s: null, t: null })

  function dispatch(session: Session, t: string, d: unknown): void {
    session.seq += 1
    const frame = { op: 0, d, s: session.seq, t }
    session.log.push(frame)
    if (session.socket) send(session.socket, frame)
  }

  function identify(socket: WebSocket, d: Identify): void {
    identifies.push(d)
    if (!accepts(d.token)) return socket.close(4004, 'Authentication failed.')
    if ((d.intents & (1 << 15)) !== 0 && !readsMessages()) return socket.close(4014, 'Disallowed intent(s).')
    const session: Session = { id: nextId(), seq: 0, acked: 0, log: [], socket, isOver: false }
    sessions.set(session.id, session)
    dispatch(session, 'READY', { v: 10, session_id: session.id, resume_gateway_url: origin(), ...ready() })
    dispatch(session, 'GUILD_CREATE', guild())
  }

  function resume(socket: WebSocket, d: Resume): void {
    resumes.push(d)
    if (!accepts(d.token)) return socket.close(4004, 'Authentication failed.')
    const session = sessions.get(d.session_id)
    if (!session || session.isOver) return send(socket, plain(9, false))
    if (d.seq > session.seq) return socket.close(4007, 'Invalid seq.')
    session.acked = Math.max(session.acked, d.seq)
    session.socket = socket
    for (const frame of session.log) if ((frame.s ?? 0) > d.seq) send(socket, frame)
    dispatch(session, 'RESUMED', {})
  }

  socketServer.on('connection', (socket) => {
    sockets.add(socket)
    opened += 1
    socket.on('error', () => {})
    socket.on('close', (code) => {
      sockets.delete(socket)
      closes.push(code)
      for (const session of sessions.values()) {
        if (session.socket !== socket) continue
        session.socket = null
        // A client that closes like this does not come back.
        if (code === 1000 || code === 1001) session.isOver = true
      }
    })
    socket.on('message', (raw: Buffer) => {
      const { op, d } = JSON.parse(raw.toString()) as { op: number; d: unknown }
      if (op === 1) {
        heartbeats.push(d)
        for (const session of sessions.values())
          if (hearsAcks && session.socket === socket && typeof d === 'number')
            session.acked = Math.max(session.acked, d)
        if (isAnswering) send(socket, plain(11, null))
      }
      if (op === 2) identify(socket, d as Identify)
      if (op === 6) resume(socket, d as Resume)
    })
    if (isAnswering) send(socket, plain(10, { heartbeat_interval: heartbeatMs }))
  })

  const live = () => [...sessions.values()].filter(({ isOver }) => !isOver)
  return {
    identifies,
    resumes,
    heartbeats,
    /** Codes with which connections ended; 1006 if one broke. */
    closes,
    opened: () => opened,
    ready: () => live().filter(({ socket }) => socket !== null).length,
    /** An event for everybody who is or was connected. */
    emit(t: string, d: unknown): void {
      for (const session of live()) dispatch(session, t, d)
    },
    /** Any frame, to all connections; also ones that Discord would never send. */
    raw(frame: unknown): void {
      for (const socket of sockets) send(socket, frame)
    },
    /** Asks for a new connection. */
    reconnect(): void {
      this.raw(plain(7, null))
    },
    invalidate(resumable: boolean): void {
      if (!resumable) this.expire()
      this.raw(plain(9, resumable))
    },
    askForHeartbeat(): void {
      this.raw(plain(1, null))
    },
    loseAcknowledgements() {
      hearsAcks = false
      return () => {
        hearsAcks = true
      }
    },
    /** Events that no heartbeat has named. Heartbeats are rare, so each look asks for one. */
    unacknowledged(): number {
      this.askForHeartbeat()
      return live().reduce((sum, { seq, acked }) => sum + seq - acked, 0)
    },
    /** As if the network were gone. */
    drop(): void {
      for (const socket of sockets) socket.terminate()
    },
    closeWith(code: number): void {
      for (const socket of sockets) socket.close(code, 'closed by the test')
    },
    /** No session can be resumed any more. */
    expire(): void {
      for (const session of sessions.values()) session.isOver = true
    },
    /** Heartbeats and new connections get no answer, although the connection seems open. */
    answer(answers: boolean): void {
      isAnswering = answers
    },
    close(): void {
      for (const socket of sockets) socket.terminate()
      socketServer.close()
    },
  }
}
