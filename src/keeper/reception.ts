import type { Socket } from 'node:net'
import type { Logger } from '../lib/log.ts'
import { fail } from '../lib/result.ts'
import { operations, type Children, type Desk, type Reply } from './operations.ts'
import { createPeer, type Peer } from './peer.ts'
import { numberOf, protocol, textOf, type Frame } from './wire.ts'

/** Takes connections; one of them is the server's, the latest that said hello. */
export type Reception = {
  receive(socket: Socket): void
  readonly isConnected: boolean
  /** Resolves when what was answered has left us, or could not. */
  close(): Promise<void>
}

type Deps = { children: Children; log: Logger; stop(): Promise<void>; changed(): void }

const helloMs = 10_000
const farewellMs = 1000

export function createReception({ children, log, stop, changed }: Deps): Reception {
  let current: Desk | null = null

  function greet(desk: Desk, header: Frame['header']): void {
    const before = current
    current = desk
    if (before && before !== desk) {
      log.warn({ pid: numberOf(header['pid']) }, 'another server took over the connection')
      before.peer.send({ op: 'replaced' })
      void leave(before)
    }
    desk.peer.send({ re: header['n'], value: { protocol, pid: process.pid } })
    changed()
  }

  function receive(socket: Socket): void {
    const peer = createPeer(socket, handle, (error) => log.warn({ error: String(error) }, 'a frame made no sense'))
    const desk: Desk = { children, peer, feeds: new Map(), stop }
    const late = setTimeout(() => peer.destroy(), helloMs)
    function handle(frame: Frame): void {
      if (current === desk) perform(desk, frame, log, changed)
      else if (frame.header['op'] === 'hello') {
        clearTimeout(late)
        greet(desk, frame.header)
      }
    }
    void peer.closed.then(() => {
      clearTimeout(late)
      for (const feed of desk.feeds.values()) feed.stop()
      if (current === desk) current = null
      changed()
    })
  }

  return {
    receive,
    get isConnected() {
      return current !== null
    },
    async close() {
      if (current) await leave(current)
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

function perform(desk: Desk, frame: Frame, log: Logger, changed: () => void): void {
  const op = textOf(frame.header['op'])
  const number = numberOf(frame.header['n'])
  const operation = Object.hasOwn(operations, op) ? operations[op] : undefined
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
