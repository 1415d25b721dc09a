import type { MessageId } from '../../domain/message/schema.ts'
import type { QueueItem } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Requester } from './requester.ts'

const system = { kind: 'system' as const, name: 'queue' }

/** Hands over what waits for a session, in order, each item once. */
export async function takeQueued(
  app: Pick<App, 'read' | 'check' | 'dispatch'>,
  sessionId: SessionId,
  { actor }: Requester,
): Promise<Result<QueueItem[]>> {
  // Whoever may report life for the session may be told what waits for it.
  const refused = await app.check({ type: 'session.touch', id: sessionId, tool: null }, actor)
  if (refused !== null && refused !== 'repeated') return refused
  const items: QueueItem[] = []
  for (const item of await app.read.waitingItems(sessionId)) {
    const { id } = item
    const messageId = derivedId<MessageId>(id, 'message')
    const sent = await app.dispatch({ type: 'queue.send', id, sessionId, messageId }, system)
    if (!sent.ok) continue
    await app.dispatch({ type: 'queue.settle', id, sessionId, outcome: 'ended' }, system)
    items.push({ ...item, status: 'delivered' })
  }
  return ok(items)
}
