import type { Socket } from 'node:net'
import type { Logger } from '../lib/log.ts'
import { fail } from '../lib/result.ts'
import type { Children, Desk, Operation, Reply } from './children.ts'
import { operations } from './operations.ts'
import { createPeer, type Peer } from './peer.ts'
import { attachOperations } from './pty/operations.ts'
import { numberOf, protocol, roleOf, textOf, type Frame, type Role } from './wire.ts'

/** Takes connections: of the server's one for each role, the latest; and any number of people's, who work terminals. */
export type Reception = {
  receive(socket: Socket): void
  /** Tells the server what was typed into a terminal. */
  typed: Children['typed']
  readonly isConnected: boolean
  /** Resolves when what was answered has left us, or could not. */
  close(): Promise<void>
}

type Deps = { children: Children; log: Logger; stop: Desk['stop']; changed(): void }

type ServerRole = Exclude<Role, 'attach'>

const helloMs = 10_000
const farewellMs = 1000

export function createReception({ children, log, stop, changed }: Deps): Reception {
  const servers = new Map<ServerRole, Desk>()
  const visitors = new Set<Desk>()
  const isServer = (desk: Desk) => servers.values().some((one) => one === desk)

  function greetVisitor(desk: Desk, header: Frame['header']): void {
    visitors.add(desk)
    welcome(desk, header)
  }

  function welcome(desk: Desk, header: Frame['header']): void {
    desk.peer.send({ re: header['n'], value: { protocol, pid: process.pid, relays: true } })
    changed()
  }

  function greet(role: ServerRole, desk: Desk, header: Frame['header']): void {
    const before = servers.get(role)
    servers.set(role, desk)
    children.isForTerminals = false
    if (before && before !== desk) {
      log.warn({ pid: numberOf(header['pid']), role }, 'another server took over the connection')
      before.peer.send({ op: 'replaced' })
      void leave(before)
    }
    welcome(desk, header)
  }

  function receive(socket: Socket): void {
    const peer = createPeer(socket, handle, (error) => log.warn({ error: String(error) }, 'invalid frame'))
    const desk: Desk = { children, peer, feeds: new Map(), screens: new Map(), stop }
    const late = setTimeout(() => peer.destroy(), helloMs)
    function handle(frame: Frame): void {
      if (isServer(desk)) return perform(desk, operations, frame, log, changed)
      if (visitors.has(desk)) return perform(desk, attachOperations, frame, log, changed)
      const role = roleOf(frame.header['op'])
      if (!role) return
      clearTimeout(late)
      if (role === 'attach') greetVisitor(desk, frame.header)
      else greet(role, desk, frame.header)
    }
    void peer.closed.then(() => {
      clearTimeout(late)
      for (const feed of desk.feeds.values()) feed.stop()
      for (const screen of desk.screens.values()) screen.detach()
      visitors.delete(desk)
      for (const [role, one] of servers) if (one === desk) servers.delete(role)
      changed()
    })
  }

  return {
    receive,
    typed(id, bytes, at) {
      const listener = servers.get('terminals') ?? servers.get('agents')
      listener?.peer.send({ op: 'typed', id, ...at }, bytes)
    },
    get isConnected() {
      return servers.size > 0 || visitors.size > 0
    },
    async close() {
      await Promise.all([...visitors, ...servers.values()].map(leave))
    },
  }
}

/** A peer that reads no more does not get to keep the connection. */
async function leave({ peer, feeds }: Desk): Promise<void> {
  for (const feed of feeds.values()) feed.stop()
  peer.end()
  const late = setTimeout(() => peer.destroy(), farewellMs)
  await peer.closed
  clearTimeout(late)
}

type Table = Readonly<Record<string, Operation>>

function perform(desk: Desk, table: Table, frame: Frame, log: Logger, changed: () => void): void {
  const op = textOf(frame.header['op'])
  const number = numberOf(frame.header['n'])
  const operation = Object.hasOwn(table, op) ? table[op] : undefined
  if (!operation) {
    answer(desk.peer, number, unknownOperation(op))
    return
  }
  // Called at once: what is written to a child keeps its order.
  void settle(() => operation(desk, frame, number), op, log).then((reply) => {
    if (reply) answer(desk.peer, number, reply)
    changed()
  })
}

async function settle(work: () => Reply | null | Promise<Reply>, op: string, log: Logger): Promise<Reply | null> {
  try {
    return await work()
  } catch (error) {
    log.error({ op, error: error instanceof Error ? error.stack : String(error) }, 'an operation failed')
    return fail({ kind: 'unavailable', code: 'keeper_failed', message: `The keeper could not ${op}: ${String(error)}` })
  }
}

function answer(peer: Peer, number: number, reply: Reply): void {
  if (Number.isNaN(number)) return
  if ('bytes' in reply) peer.send({ re: number, value: reply.value }, reply.bytes)
  else if (reply.ok) peer.send({ re: number, value: reply.value ?? null })
  else peer.send({ re: number, fault: reply.fault })
}

const unknownOperation = (op: string) =>
  fail({
    kind: 'unavailable',
    code: 'unknown_operation',
    message: `This keeper is older than the server and can't ${op}.`,
    hint: 'It is replaced when its last child has ended, or by: signalbox stop',
  })
