import * as z from 'zod'
import { promptFiles } from '../../domain/attachment/schema.ts'
import { QueueItem, QueueItemId, QueuePlace } from '../../domain/queue/schema.ts'
import { SessionId } from '../../domain/session/id.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: SessionId })

/** Prompts of a session, and those that wait. */
export const queueEndpoints = {
  promptSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/prompt',
    tag: 'sessions',
    summary:
      'Send a message to the agent: after its turn, now (which cancels the turn), or when nothing else is queued',
    status: 202,
    params: ById,
    body: () =>
      z.strictObject({
        text: z.string().min(1).max(1_000_000),
        when: QueuePlace.default('next'),
        ...promptFiles,
      }),
    response: () => QueueItem.extend({ position: z.int().meta({ description: 'How many are ahead of it.' }) }),
  }),
  listQueue: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/queue',
    tag: 'sessions',
    summary: 'Messages sent to the agent and messages queued for it, in order',
    status: 200,
    params: ById,
    response: () => z.object({ items: z.array(QueueItem) }),
  }),
  changeQueued: endpoint({
    method: 'PATCH',
    path: '/api/sessions/{id}/queue/{itemId}',
    tag: 'sessions',
    summary: 'Edit or move a waiting prompt',
    status: 200,
    params: () => z.object({ id: SessionId, itemId: QueueItemId }),
    body: () =>
      z.strictObject({
        text: z.string().min(1).max(1_000_000).optional(),
        when: QueuePlace.optional(),
        before: QueueItemId.nullable().optional().meta({
          description: 'Send it before this one, which waits with the same `when`; null: after all of them.',
        }),
      }),
    response: QueueItem,
  }),
  dropQueued: endpoint({
    method: 'DELETE',
    path: '/api/sessions/{id}/queue/{itemId}',
    tag: 'sessions',
    summary: 'Remove a waiting prompt',
    status: 200,
    params: () => z.object({ id: SessionId, itemId: QueueItemId }),
    response: QueueItem,
  }),
  takeQueued: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/queue/take',
    tag: 'sessions',
    summary: 'For an agent that connects over MCP or HTTP: the messages queued for it, which then count as delivered',
    status: 200,
    params: ById,
    body: () => z.strictObject({}),
    response: () => z.object({ items: z.array(QueueItem) }),
  }),
}
