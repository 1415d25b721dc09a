import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { Json } from '../../lib/json.ts'
import { SessionId } from '../session/id.ts'

export const MessageId = idOf('MessageId')
export type MessageId = z.infer<typeof MessageId>
export const MessageRole = z.enum(['user', 'agent', 'system'])
export type MessageRole = z.infer<typeof MessageRole>

export const MessageContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().max(4_000_000), partial: z.boolean().optional() }),
  z.object({ type: z.literal('plan'), steps: z.array(Json) }),
  z.object({ type: z.literal('tool'), tool: z.string(), args: Json, result: Json.optional() }),
])
export type MessageContent = z.infer<typeof MessageContent>

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

export type MessageChange = {
  type: 'message.added'
  data: { id: MessageId; sessionId: SessionId; role: MessageRole; contentHash: string }
  body: MessageContent
}
