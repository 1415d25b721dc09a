import type { Client } from '../../client/client.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Event } from '../../domain/audit/schema.ts'
import { hasEnded, type SessionStatus } from '../../domain/session/status.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import { textField } from '../json-fields.ts'

/** The state of a session, as far as a viewer needs it. */
export type LiveState = {
  status: SessionStatus
  reason: string | null
  /** Prompts that are queued or being worked on. */
  pending: readonly string[]
  asks: readonly Ask[]
  /** The last turn was cancelled. */
  cancelled: boolean
}

export const isBusy = ({ status, pending }: LiveState): boolean =>
  status === 'created' || (status === 'active' && pending.length > 0)

export const isOver = ({ status }: LiveState): boolean => hasEnded(status)

const pendingIn = (items: readonly { id: string; status: string }[]): string[] =>
  items.flatMap(({ id, status }) => (status === 'waiting' || status === 'sent' ? [id] : []))

export async function readPending(client: Client, id: SessionId): Promise<string[]> {
  return pendingIn((await client.listQueue({ params: { id } })).items)
}

export async function readAsks(client: Client, id: SessionId): Promise<readonly Ask[]> {
  const { asks } = await client.listAsks({ query: { sessionId: id, status: 'open', limit: 100 } })
  return asks.toReversed()
}

/** The state after an event. Queue and asks are read again, because events do not contain them. */
export async function afterEvent(client: Client, id: SessionId, before: LiveState, event: Event): Promise<LiveState> {
  const { type, data } = event
  if (type === 'session.status_changed') {
    const status = data['to'] as SessionStatus
    return { ...before, status, reason: textField(data, 'reason'), pending: await readPending(client, id) }
  }
  if (type.startsWith('queue.')) {
    const cancelled = before.cancelled && type !== 'queue.sent'
    return { ...before, cancelled, pending: await readPending(client, id) }
  }
  if (type === 'session.steered' && data['what'] === 'cancel_turn' && before.pending.length > 0)
    return { ...before, cancelled: true }
  if (type.startsWith('ask.')) return { ...before, asks: await readAsks(client, id) }
  return before
}
