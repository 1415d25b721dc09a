import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '../../lib/backoff.ts'
import { connectionHeaders, type McpConnection } from './headers.ts'
import type { Reconnect } from './reconnect.ts'
import { messagesOf, refusalOf } from './replies.ts'
import type { Wire } from './wire.ts'

type Deps = {
  wire: Wire
  reconnect: Reconnect
  connection: McpConnection
  write(text: string): Promise<void>
  note(text: string): void
  signal: AbortSignal
  /** The server no longer knows the connection. */
  unknown(): Promise<void>
}

/** Listens for messages that the server initiates, and reconnects from the last event. */
export async function listenToServer(deps: Deps): Promise<void> {
  const { signal, note } = deps
  let lastId: string | null = null
  const onId = (id: string) => {
    lastId = id
  }
  for (let attempt = 1; !signal.aborted; attempt += 1) {
    try {
      const outcome = await listenOnce(deps, lastId, onId)
      if (outcome === 'over') return
      if (outcome === 'heard') attempt = 1
    } catch {
      // Disconnected: retry when a server is running. No call is waiting, so none is started.
    }
    if (signal.aborted) return
    try {
      await delay(backoff(attempt, 100, 5000), undefined, { signal })
      await deps.reconnect.waitForServer(false, signal)
    } catch (error) {
      if (!signal.aborted) note(error instanceof Error ? error.message : String(error))
      await delay(5000, undefined, { signal }).catch(() => {})
    }
  }
}

async function listenOnce(deps: Deps, lastId: string | null, onId: (id: string) => void): Promise<string> {
  const { wire, connection, write, note, signal } = deps
  const resume = lastId === null ? {} : { 'last-event-id': lastId }
  const headers = { accept: 'text/event-stream', ...connectionHeaders(connection), ...resume }
  const answer = await wire.send({ method: 'GET', headers, signal })
  const status = answer.statusCode ?? 0
  if (status < 300) {
    for await (const message of messagesOf(answer, onId)) await write(message.text)
    return 'heard'
  }
  const refusal = await refusalOf(answer)
  if (status === 404) {
    await deps.unknown().catch((error: unknown) => note(error instanceof Error ? error.message : String(error)))
    return 'over'
  }
  // 409: the server has not noticed that the last stream ended. 405: it initiates no messages.
  if (status === 409 || status >= 500) return 'again'
  if (status !== 405) note(`Can't receive messages that the server initiates: ${refusal.message}`)
  return 'over'
}
