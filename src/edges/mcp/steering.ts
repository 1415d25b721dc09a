import type { App } from '../../app/app.ts'
import type { MessageId } from '../../domain/message/schema.ts'
import type { QueueItem } from '../../domain/queue/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { system } from './link.ts'
import { createKeyedQueue } from '../../lib/serial-queue.ts'

/** Messages for an agent that can't be interrupted: it gets them with its next heartbeat. */
export type Steering = {
  waiting(id: SessionId): Promise<QueueItem[]>
  /** Resolves when earlier deliveries are stored, so that nothing is sent twice. */
  settled(id: SessionId): Promise<void>
  /** The reply that contained them was sent. */
  delivered(id: SessionId, items: readonly QueueItem[]): Promise<void>
}

export function createSteering(app: App): Steering {
  const deliveries = createKeyedQueue<SessionId>()

  async function deliver(sessionId: SessionId, items: readonly QueueItem[]): Promise<void> {
    for (const { id } of items) {
      const messageId = derivedId<MessageId>(id, 'message')
      const sent = await app.dispatch({ type: 'queue.send', id, sessionId, messageId }, system)
      if (sent.ok) await app.dispatch({ type: 'queue.settle', id, sessionId, outcome: 'ended' }, system)
    }
  }

  return {
    settled: (id) => deliveries.idle(id),
    async waiting(id) {
      const items = await app.read.waitingItems(id)
      // Files reach a hosted agent with a prompt only.
      return items.filter(({ when, attachments }) => when !== 'later' && attachments === undefined)
    },
    delivered(sessionId, items) {
      if (items.length === 0) return Promise.resolve()
      return deliveries.run(sessionId, () => deliver(sessionId, items))
    },
  }
}
