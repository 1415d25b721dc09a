import type { JSONRPCMessage, RequestId, Server } from '@modelcontextprotocol/server'

type Sent = Map<string, (() => Promise<void>)[]>
const waiting = new WeakMap<object, Sent>()

/** Calls back once the answer to a request has left; never, where nobody took it. */
export function whenSent(server: Server | undefined, id: RequestId, then: () => Promise<void>): void {
  const transport = server?.transport
  if (!transport) return
  const calls = waiting.get(transport) ?? watch(transport)
  const key = JSON.stringify(id)
  calls.set(key, [...(calls.get(key) ?? []), then])
}

function watch(transport: NonNullable<Server['transport']>): Sent {
  const calls: Sent = new Map()
  waiting.set(transport, calls)
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    await send(message, options)
    const key = answered(message)
    if (key === null) return
    const thens = calls.get(key) ?? []
    calls.delete(key)
    for (const then of thens) await then()
  }
  return calls
}

const answered = (message: JSONRPCMessage): string | null =>
  'result' in message && 'id' in message ? JSON.stringify(message.id) : null
