import type { JSONRPCMessage, RequestId, Server } from '@modelcontextprotocol/server'

type Thens = Map<string, (() => Promise<void>)[]>
type Transport = NonNullable<Server['transport']>

/** Runs callbacks when the reply to a request was sent. */
export type AfterSend = {
  /** Does not run `then` if the reply was not delivered. */
  run(server: Server | undefined, id: RequestId, then: () => Promise<void>): void
}

export function createAfterSend(): AfterSend {
  const waiting = new WeakMap<Transport, Thens>()

  function watch(transport: Transport): Thens {
    const calls: Thens = new Map()
    waiting.set(transport, calls)
    const send = transport.send.bind(transport)
    transport.send = async (message, options) => {
      const key = answered(message)
      const thens = key === null ? [] : (calls.get(key) ?? [])
      if (key !== null) calls.delete(key)
      await send(message, options)
      for (const then of thens) await then()
    }
    return calls
  }

  return {
    run(server, id, then) {
      const transport = server?.transport
      if (!transport) return
      const calls = waiting.get(transport) ?? watch(transport)
      const key = JSON.stringify(id)
      calls.set(key, [...(calls.get(key) ?? []), then])
    },
  }
}

const answered = (message: JSONRPCMessage): string | null =>
  'method' in message || !('id' in message) ? null : JSON.stringify(message.id)
