import * as z from 'zod'
import { AgentGroupId } from '../../domain/user/id.ts'
import { SessionId } from '../../domain/session/id.ts'
import { endpoint } from '../endpoint.ts'

const ByGroup = z.object({ agentGroupId: AgentGroupId })
const mostText = 20_000

const CardLine = z.union([
  z.object({ kind: z.enum(['text', 'code', 'diff', 'quote']), text: z.string() }),
  z.object({ kind: z.literal('fields'), fields: z.array(z.tuple([z.string(), z.string()])) }),
])

export const WebCard = z
  .object({
    title: z.string(),
    tone: z.enum(['waiting', 'good', 'bad', 'quiet']),
    lines: z.array(CardLine),
    buttons: z.array(
      z.object({ action: z.string(), label: z.string(), style: z.enum(['primary', 'danger', 'plain']) }),
    ),
    footer: z.string().nullable(),
  })
  .meta({ id: 'WebCard' })
export type WebCard = z.infer<typeof WebCard>

export const WebMessage = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    from: z.enum(['you', 'agent']),
    text: z.string().nullable().meta({ description: 'Markdown if it is from the agent.' }),
    card: WebCard.nullable(),
    file: z.string().nullable().meta({ description: 'The name of a file.' }),
    reactions: z.array(z.string()),
    state: z.enum(['waiting', 'done', 'failed']),
    error: z.string().nullable(),
  })
  .meta({ id: 'WebMessage' })
export type WebMessage = z.infer<typeof WebMessage>

export const WebChat = z
  .object({
    agentGroupId: AgentGroupId,
    name: z.string(),
    last: WebMessage.nullable(),
    sessionId: SessionId.nullable().meta({ description: 'The session that messages go to.' }),
    working: z.boolean().meta({ description: 'Your last message has no reply yet.' }),
  })
  .meta({ id: 'WebChat' })
export type WebChat = z.infer<typeof WebChat>

export const webChatEndpoints = {
  listWebChats: endpoint({
    method: 'GET',
    path: '/api/web-chats',
    tag: 'web chat',
    summary: 'Agent groups that you can write to here, with the last message',
    status: 200,
    response: () => z.object({ webChats: z.array(WebChat) }),
  }),
  listWebMessages: endpoint({
    method: 'GET',
    path: '/api/web-chats/{agentGroupId}/messages',
    tag: 'web chat',
    summary: 'Your conversation with an agent group, oldest first',
    status: 200,
    params: ByGroup,
    query: () =>
      z.strictObject({
        before: z.string().max(400).optional().meta({ description: '`earlier` of the page after it.' }),
      }),
    response: () =>
      z.object({
        messages: z.array(WebMessage),
        earlier: z.string().nullable().meta({ description: 'Continues before this page; null at the beginning.' }),
      }),
  }),
  sendWebMessage: endpoint({
    method: 'POST',
    path: '/api/web-chats/{agentGroupId}/messages',
    tag: 'web chat',
    summary: 'Write to an agent group',
    status: 202,
    params: ByGroup,
    body: () =>
      z.strictObject({
        text: z.string().trim().min(1).max(mostText),
        id: z.uuid().optional().meta({ description: 'Sent again with the same id, it counts once.' }),
      }),
    response: () => z.object({ id: z.string() }),
  }),
  pressWebButton: endpoint({
    method: 'POST',
    path: '/api/web-chats/{agentGroupId}/press',
    tag: 'web chat',
    summary: 'Press a button of a card',
    status: 202,
    params: ByGroup,
    body: () => z.strictObject({ messageId: z.uuid(), action: z.string().min(1).max(300) }),
    response: () => z.object({ messageId: z.string(), pressed: z.literal(true) }),
  }),
  getWebFile: endpoint({
    method: 'GET',
    path: '/api/web-chats/{agentGroupId}/files/{messageId}',
    tag: 'web chat',
    summary: 'A file that an agent sent you',
    status: 200,
    params: () => ByGroup.extend({ messageId: z.uuid() }),
    response: () => z.string().meta({ description: 'application/octet-stream' }),
  }),
}
