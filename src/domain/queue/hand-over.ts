import { messageAdded } from '../message/decide.ts'
import type { MessageId } from '../message/schema.ts'
import { answeredBy } from '../ask/answered.ts'
import type { AskChange } from '../ask/change.ts'
import type { AskId } from '../ask/id.ts'
import type { MessageChange } from '../message/schema.ts'
import type { QueueChange, QueueItem } from './schema.ts'

/** A queued text answers an agent that waits for instructions (R17): immediately, and only once. */
export function handOver(
  ask: { id: AskId; sessionId: QueueItem['sessionId'] },
  item: Pick<QueueItem, 'id' | 'sessionId' | 'text' | 'by'>,
  messageId: MessageId,
): (QueueChange | MessageChange | AskChange)[] {
  const { id, sessionId, text, by } = item
  return [
    { type: 'queue.sent', data: { id, sessionId, messageId } },
    messageAdded(messageId, sessionId, 'user', { type: 'text', text }),
    answeredBy({ id: ask.id, sessionId: ask.sessionId }, { outcome: 'resume', instruction: text }, by, false),
    { type: 'queue.delivered', data: { id, sessionId, outcome: 'ended' } },
  ]
}
