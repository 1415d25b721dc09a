import { createConnection, type Socket } from 'node:net'
import type { Logger } from '../lib/log.ts'
import { fail, ok, type Fault, type Result } from '../lib/result.ts'
import { unsafeFolder } from '../lib/socket-path.ts'
import { keeperPaths } from '../keeper/protocol/paths.ts'
import { createPeer } from '../keeper/protocol/peer.ts'
import { hellos, isRecord, numberOf, protocol, type Frame, type ConnectionRole } from '../keeper/protocol/frames.ts'

export type KeeperReply = { value: unknown; bytes: Buffer }

/** Our end of the socket: requests with replies, and frames the keeper sends unasked. */
export type KeeperConnection = {
  ask(op: string, fields?: Record<string, unknown>, bytes?: Uint8Array): Promise<Result<KeeperReply>>
  /** For requests whose number is used again after the reply. */
  nextNumber(): number
  askAs(number: number, op: string, fields: Record<string, unknown>, bytes?: Uint8Array): Promise<Result<KeeperReply>>
  tell(op: string, fields: Record<string, unknown>, bytes?: Uint8Array): void
  /** What the keeper said about itself when we connected. */
  greeting: Readonly<Record<string, unknown>>
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Where to connect, and as what. */
export type ConnectDeps = {
  dataDir: string
  log: Logger
  role: ConnectionRole
  /** Starts a keeper if none answers; otherwise the result is null. */
  start: boolean
}

/** The only way to the keeper, for the server and for the command line. */
export async function openConnection(
  { dataDir, log, role, start }: ConnectDeps,
  received: (frame: Frame) => void,
): Promise<Result<KeeperConnection | null>> {
  const paths = keeperPaths(dataDir)
  const tryConnect = () => connect(paths.socket, log, received, role)
  const first = await tryConnect()
  if (!first.ok || first.value || !start) return first
  return (await import('./start-keeper.ts')).startKeeper(paths, tryConnect)
}

const helloMs = 5000
const readBytes = 64 * 1024

/** Null if no keeper is there; a fault if one is there and does not speak with us. */
async function connect(
  path: string,
  log: Logger,
  received: (frame: Frame) => void,
  role: ConnectionRole,
): Promise<Result<KeeperConnection | null>> {
  const unsafe = unsafeFolder(path)
  if (unsafe !== null) return fail(unsafe)
  const opened = await open(path)
  if (!opened) return ok(null)
  const { socket } = opened
  const connection = converse(opened, log, received)
  const late = setTimeout(() => socket.destroy(), helloMs)
  const greeted = await connection.ask(hellos[role], { protocol, pid: process.pid })
  clearTimeout(late)
  if (!greeted.ok) return fail(role === 'agents' ? silent(path) : silentOnTerminals(path))
  const greeting = isRecord(greeted.value.value) ? greeted.value.value : {}
  const spoken = numberOf(greeting['protocol'])
  if (spoken === protocol) return ok({ ...connection, greeting })
  await connection.close()
  return fail(foreign(spoken))
}

type OpenSocket = { socket: Socket; onBytes(read: (bytes: Buffer) => void): void }

/** Every read uses the same buffer: otherwise a flood of output would leave one for the garbage collector each time. */
function open(path: string): Promise<OpenSocket | null> {
  return new Promise((resolve) => {
    let read: (bytes: Buffer) => void = () => {}
    const buffer = Buffer.allocUnsafeSlow(readBytes)
    const callback = (count: number) => {
      read(buffer.subarray(0, count))
      return true
    }
    const socket = createConnection({ path, onread: { buffer, callback } })
    socket.once('error', () => resolve(null))
    socket.once('connect', () => resolve({ socket, onBytes: (next) => (read = next) }))
  })
}

function converse(
  { socket, onBytes }: OpenSocket,
  log: Logger,
  received: (frame: Frame) => void,
): Omit<KeeperConnection, 'greeting'> {
  const waiting = new Map<number, (answer: Result<KeeperReply>) => void>()
  let last = 0

  const peer = createPeer(
    socket,
    (frame) => {
      const number = numberOf(frame.header['re'])
      const settle = waiting.get(number)
      waiting.delete(number)
      if (settle) settle(answerIn(frame))
      else if (frame.header['op'] === 'replaced')
        log.warn({}, 'another server took over the keeper of this data directory')
      else received(frame)
    },
    (error) => log.error({ error: String(error) }, 'invalid data from the keeper: the connection is closed'),
  )
  onBytes(peer.read)
  void peer.closed.then(() => {
    for (const settle of waiting.values()) settle(fail(gone))
    waiting.clear()
  })

  function put(number: number, op: string, fields: Record<string, unknown>, bytes?: Uint8Array) {
    if (socket.destroyed) return Promise.resolve(fail(gone))
    const answer = Promise.withResolvers<Result<KeeperReply>>()
    waiting.set(number, answer.resolve)
    peer.send({ ...fields, op, n: number }, bytes)
    return answer.promise
  }
  const nextNumber = () => (last += 1)

  return {
    ask: (op, fields = {}, bytes) => put(nextNumber(), op, fields, bytes),
    askAs: put,
    nextNumber,
    tell: (op, fields, bytes) => peer.send({ ...fields, op }, bytes),
    closed: peer.closed,
    async close() {
      peer.end()
      const late = setTimeout(() => peer.destroy(), 1000)
      await peer.closed
      clearTimeout(late)
    },
  }
}

function answerIn({ header, payload }: Frame): Result<KeeperReply> {
  const fault = header['fault']
  if (!isRecord(fault)) return ok({ value: header['value'], bytes: payload })
  // The keeper makes its faults with the same functions.
  return fail(fault as Fault)
}

const gone: Fault = {
  kind: 'unavailable',
  code: 'keeper_gone',
  message: 'The connection to the keeper was lost.',
  hint: 'The server reconnects automatically. For details see keeper.log in the data directory.',
}

const silent = (path: string): Fault => ({
  kind: 'unavailable',
  code: 'keeper_silent',
  message: `The keeper at ${path} does not answer.`,
  hint: 'If it is stopped or stuck, end that process: its agents end with it, and their sessions can be recovered.',
})

const silentOnTerminals = (path: string): Fault => ({
  kind: 'unavailable',
  code: 'keeper_silent',
  message: `The keeper at ${path} accepts no terminals: it is older than this version, or stuck.`,
  hint: 'It is replaced when its last child has ended, or by: signalbox stop',
})

const foreign = (spoken: number): Fault => ({
  kind: 'conflict',
  code: 'keeper_incompatible',
  message: `The running keeper uses protocol ${spoken}, this server ${protocol}.`,
  hint: 'Stop it with the version that started it: signalbox stop',
})
