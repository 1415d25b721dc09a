import type { Socket } from 'node:net'
import type { Logger } from '../lib/log.ts'
import { fail } from '../lib/result.ts'
import type { Children, KeeperCaller, Operation, Reply } from './children.ts'
import { operations } from './operations.ts'
import { createPeer, type Peer } from './protocol/peer.ts'
import { attachOperations } from './pty/operations.ts'
import { numberOf, protocol, roleOf, textOf, type Frame, type ConnectionRole } from './protocol/frames.ts'

/** Accepts connections: the latest of a server for each role, and any number of attached people. */
export type Acceptor = {
  receive(socket: Socket): void
  /** Tells the server what was typed into a terminal. */
  typed: Children['typed']
  readonly isConnected: boolean
  /** Resolves when every reply was sent, or could not be. */
  close(): Promise<void>
}

type Deps = { children: Children; log: Logger; stop: KeeperCaller['stop']; changed(): void }

type ServerRole = Exclude<ConnectionRole, 'attach'>

const helloMs = 10_000
const farewellMs = 1000

export function createAcceptor({ children, log, stop, changed }: Deps): Acceptor {
  const servers = new Map<ServerRole, KeeperCaller>()
  const people = new Set<KeeperCaller>()
  const isServer = (caller: KeeperCaller) => servers.values().some((one) => one === caller)

  function greetPerson(caller: KeeperCaller, header: Frame['header']): void {
    people.add(caller)
    welcome(caller, header)
  }

  function welcome(caller: KeeperCaller, header: Frame['header']): void {
    caller.peer.send({ re: header['n'], value: { protocol, pid: process.pid, relays: true } })
    changed()
  }

  function greet(role: ServerRole, caller: KeeperCaller, header: Frame['header']): void {
    const before = servers.get(role)
    servers.set(role, caller)
    children.isForTerminals = false
    if (before && before !== caller) {
      log.warn({ pid: numberOf(header['pid']), role }, 'another server took over the connection')
      before.peer.send({ op: 'replaced' })
      void leave(before)
    }
    welcome(caller, header)
  }

  function receive(socket: Socket): void {
    const peer = createPeer(socket, handle, (error) => log.warn({ error: String(error) }, 'invalid frame'))
    const caller: KeeperCaller = { children, peer, feeds: new Map(), screens: new Map(), stop }
    const late = setTimeout(() => peer.destroy(), helloMs)
    function handle(frame: Frame): void {
      if (isServer(caller)) return perform(caller, operations, frame, log, changed)
      if (people.has(caller)) return perform(caller, attachOperations, frame, log, changed)
      const role = roleOf(frame.header['op'])
      if (!role) return
      clearTimeout(late)
      if (role === 'attach') greetPerson(caller, frame.header)
      else greet(role, caller, frame.header)
    }
    void peer.closed.then(() => {
      clearTimeout(late)
      for (const feed of caller.feeds.values()) feed.stop()
      for (const screen of caller.screens.values()) screen.detach()
      people.delete(caller)
      for (const [role, one] of servers) if (one === caller) servers.delete(role)
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
      return servers.size > 0 || people.size > 0
    },
    async close() {
      await Promise.all([...people, ...servers.values()].map(leave))
    },
  }
}

/** A peer that does not read must not keep the connection open. */
async function leave({ peer, feeds }: KeeperCaller): Promise<void> {
  for (const feed of feeds.values()) feed.stop()
  peer.end()
  const late = setTimeout(() => peer.destroy(), farewellMs)
  await peer.closed
  clearTimeout(late)
}

type OperationTable = Readonly<Record<string, Operation>>

function perform(caller: KeeperCaller, table: OperationTable, frame: Frame, log: Logger, changed: () => void): void {
  const op = textOf(frame.header['op'])
  const number = numberOf(frame.header['n'])
  const operation = Object.hasOwn(table, op) ? table[op] : undefined
  if (!operation) {
    answer(caller.peer, number, unknownOperation(op))
    return
  }
  // Called at once, so that writes to a child keep their order.
  void settle(() => operation(caller, frame, number), op, log).then((reply) => {
    if (reply) answer(caller.peer, number, reply)
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
