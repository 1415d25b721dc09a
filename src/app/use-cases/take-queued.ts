import type { MessageId } from '../../domain/message/schema.ts'
import type { QueueItem } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Requester } from './requester.ts'

const system = { kind: 'system' as const, name: 'queue' }

/** The turn of an agent is over: hands over the queued items of its session, in order, each once. */
export async function takeQueued(
  app: Pick<App, 'read' | 'check' | 'dispatch'>,
  sessionId: SessionId,
  { actor }: Requester,
): Promise<Result<QueueItem[]>> {
  // An actor that may report activity of the session may also take its queue.
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
  if (items.length === 0) await endTurns(app, sessionId)
  return ok(items)
}

/** Its client may be connected over MCP too, as a session of its own: that turn is over as well. */
async function endTurns(app: Pick<App, 'read' | 'dispatch'>, sessionId: SessionId): Promise<void> {
  for (const id of [sessionId, ...(await app.read.sameClient(sessionId))])
    await app.dispatch({ type: 'session.end_turn', id }, system)
}
