import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { Json } from '../../lib/json.ts'
import { AttachmentInfo, mostAttachments, mostLinks } from '../attachment/schema.ts'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'

export const MessageId = idOf('MessageId')
export type MessageId = z.infer<typeof MessageId>
export const MessageRole = z.enum(['user', 'agent', 'system'])
export type MessageRole = z.infer<typeof MessageRole>

export const MessageContent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string().max(4_000_000),
    partial: z.boolean().optional(),
    /** The level an agent gives to a message for its operator. */
    level: z.enum(['info', 'success', 'warning', 'error']).optional(),
    /** Files that a person sent along, and files of the workspace they pointed to. */
    attachments: z.array(AttachmentInfo).max(mostAttachments).optional(),
    links: z.array(z.string().max(1000)).max(mostLinks).optional(),
  }),
  z.object({ type: z.literal('plan'), steps: z.array(Json) }),
  z.object({
    type: z.literal('tool'),
    tool: z.string(),
    args: Json,
    result: Json.optional(),
    toolCallId: z.string().optional(),
    title: z.string().optional(),
    kind: z.string().optional(),
    status: z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled', 'rejected']).optional(),
    /** The tool's output: diffs, text, terminals. */
    content: Json.optional(),
    locations: Json.optional(),
  }),
  z.object({ type: z.literal('thought'), text: z.string().max(4_000_000), partial: z.boolean().optional() }),
])
export type MessageContent = z.infer<typeof MessageContent>
export type ToolContent = Extract<MessageContent, { type: 'tool' }>

/** Whether more content may follow. */
export const isOpen = (content: MessageContent): boolean =>
  content.type === 'tool'
    ? content.status === 'pending' || content.status === 'in_progress'
    : content.type !== 'plan' && content.partial === true

export const Message = z
  .object({
    id: MessageId,
    sessionId: SessionId,
    role: MessageRole,
    content: MessageContent,
    timestamp: z.iso.datetime(),
  })
  .meta({ id: 'Message' })
export type Message = z.infer<typeof Message>

export const MessageCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message.add'),
    id: MessageId,
    sessionId: SessionId,
    role: MessageRole,
    content: MessageContent,
  }),
])
export type MessageCommand = z.infer<typeof MessageCommand>

const ref = { id: MessageId, sessionId: SessionId }

/** Events about messages. */
export const messageEvents = {
  'message.added': () =>
    z.object({
      ...ref,
      role: MessageRole,
      contentHash: z.string(),
      partial: z.literal(true).optional(),
    }),
  'message.completed': () => z.object({ ...ref, contentHash: z.string() }),
}
type Data = DataOf<typeof messageEvents>

export type MessageChange =
  | {
      type: 'message.added'
      data: Data['message.added']
      body: MessageContent
      /** When it began, if earlier than now. */
      began?: string
    }
  /** More content arrived: written in place, not logged. */
  | { type: 'message.updated'; data: { id: MessageId; sessionId: SessionId }; body: MessageContent }
  | { type: 'message.completed'; data: Data['message.completed']; body: MessageContent }
