import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { AttachmentId, AttachmentInfo, promptFiles } from '../attachment/schema.ts'
import { WiringId } from '../chat/id.ts'
import { MessageId } from '../message/schema.ts'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'

export const QueueItemId = idOf('QueueItemId')
export type QueueItemId = z.infer<typeof QueueItemId>

/** `now` cancels the running turn first; `next` waits for it to end; `later` waits until nothing else is queued. */
export const QueuePlace = z.enum(['now', 'next', 'later'])
export type QueuePlace = z.infer<typeof QueuePlace>

/** `sent`: the agent has it and its turn is running; `delivered`: the turn is over. */
export const QueueStatus = z.enum(['waiting', 'sent', 'delivered', 'dropped'])
export type QueueStatus = z.infer<typeof QueueStatus>

export const QueueItem = z
  .object({
    id: QueueItemId,
    sessionId: SessionId,
    text: z.string(),
    when: QueuePlace,
    status: QueueStatus,
    by: z.string().meta({ description: 'user:<id> or system:<part>' }),
    createdAt: z.iso.datetime(),
    deliveredAt: z.iso.datetime().nullable(),
    attachments: z.array(AttachmentInfo).optional().meta({ description: 'Files that go along.' }),
    links: z.array(z.string()).optional().meta({ description: 'Files of the workspace it points to.' }),
  })
  .meta({ id: 'QueueItem' })
export type QueueItem = z.infer<typeof QueueItem>

/** A waiting item, as a checkpoint keeps it. */
export const KeptItem = QueueItem.pick({ text: true, when: true, attachments: true, links: true })
export type KeptItem = z.infer<typeof KeptItem>

/** What goes along with the words of a prompt. */
export type PromptFiles = { readonly attachments: readonly AttachmentInfo[]; readonly links: readonly string[] }

/** How the turn ended. */
const TurnOutcome = z.enum(['ended', 'cancelled', 'failed'])

const Words = z.string().min(1).max(1_000_000)
const about = { id: QueueItemId, sessionId: SessionId }

export const QueueCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('queue.add'),
    ...about,
    text: Words,
    when: QueuePlace.default('next'),
    ...promptFiles,
    /** The wiring it came through: its people may write without being the session's owner. */
    through: WiringId.optional(),
    /** Accepted while the session is paused or starting, too; it is sent when the session is active. */
    waits: z.boolean().optional(),
    /** Kept even if the session has ended: the session that continues it gets it. Only Signalbox itself may set it. */
    kept: z.boolean().optional(),
  }),
  /** The turn begins: the text becomes a message of the session. */
  z.object({ type: z.literal('queue.send'), ...about, messageId: MessageId }),
  z.object({ type: z.literal('queue.settle'), ...about, outcome: TurnOutcome.default('ended') }),
  /** Other words, another place, or another position: before that item, or behind all of its place if null. */
  z.object({
    type: z.literal('queue.change'),
    ...about,
    text: Words.optional(),
    when: QueuePlace.optional(),
    before: QueueItemId.nullable().optional(),
  }),
  z.object({ type: z.literal('queue.drop'), ...about, reason: z.string().max(2000).nullable().default(null) }),
])
export type QueueCommand = z.infer<typeof QueueCommand>

/** Events about queues. */
export const queueEvents = {
  'queue.added': () =>
    z.object({
      ...about,
      when: QueuePlace,
      textHash: z.string(),
      by: z.string(),
      attachments: z.array(AttachmentId).optional(),
    }),
  /** `textHash` is null if its words stayed. */
  'queue.changed': () =>
    z.object({ ...about, when: QueuePlace, textHash: z.string().nullable(), moved: z.boolean(), by: z.string() }),
  'queue.sent': () => z.object({ ...about, messageId: MessageId }),
  'queue.delivered': () => z.object({ ...about, outcome: TurnOutcome }),
  'queue.dropped': () => z.object({ ...about, reason: z.string().nullable() }),
  /** Waiting items move to the session that continues this one. */
  'queue.moved': () => z.object({ sessionId: SessionId, from: SessionId }),
}
type Data = DataOf<typeof queueEvents>

export type QueueChange =
  | {
      type: 'queue.added'
      data: Data['queue.added']
      body: string
      files?: PromptFiles
    }
  | {
      type: 'queue.changed'
      data: Data['queue.changed']
      body: { readonly text: string | null; readonly ranks: readonly { id: QueueItemId; rank: number }[] }
    }
  | { type: 'queue.sent'; data: Data['queue.sent'] }
  | { type: 'queue.delivered'; data: Data['queue.delivered'] }
  | { type: 'queue.dropped'; data: Data['queue.dropped'] }
  | { type: 'queue.moved'; data: Data['queue.moved'] }
