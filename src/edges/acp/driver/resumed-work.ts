import type { App } from '../../../app/app.ts'
import { seeing, system } from '../actor.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newId } from '../../../lib/id.ts'

/** What was going on when the agent was lost: it is told to go on, or hears its prompt again if it remembers nothing. */
export async function takeUpWork(app: App, sessionId: SessionId, remembers: boolean): Promise<void> {
  const { sent } = await app.read.headOfQueue(sessionId)
  if (!sent || !remembers) return
  await app.dispatch({ type: 'queue.settle', id: sent.id, sessionId, outcome: 'cancelled' }, system)
  const open = await app.read.asks(seeing, { sessionId, statuses: ['open'], limit: 1 })
  // Whoever answers an ask that is still open sets it going.
  if (open.ok && open.value.length > 0) return
  const text = 'You were interrupted. Go on with what you were doing.'
  await app.dispatch({ type: 'queue.add', id: newId<QueueItemId>(), sessionId, text, when: 'now' }, system)
}
