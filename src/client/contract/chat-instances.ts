import * as z from 'zod'
import { ChatInstance, ChatInstanceId, instanceChanges, newInstance } from '../../domain/chat-instance/schema.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: ChatInstanceId })
const ByName = z.object({ name: z.string().max(40) })

const credentials = z
  .record(z.string().max(100), z.string().max(10_000))
  .meta({ description: 'By the names of the platform’s fields. Stored encrypted, and never shown again.' })
const check = z.boolean().default(true).meta({ description: 'Ask the platform first whether the credentials work.' })

export const ChatPlatform = z
  .object({
    name: z.string(),
    title: z.string(),
    delivery: z.enum(['once', 'at_least_once']).meta({
      description: 'at_least_once: if the connection breaks, a message may arrive twice.',
    }),
    hasManifest: z.boolean(),
    steps: z.array(z.string()).meta({ description: 'What to do on the platform’s own pages first.' }),
    fields: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        secret: z.boolean(),
        required: z.boolean(),
        hint: z.string(),
      }),
    ),
  })
  .meta({ id: 'ChatPlatform' })
export type ChatPlatform = z.infer<typeof ChatPlatform>

const checked = {
  self: z
    .object({ handle: z.string(), name: z.string(), workspace: z.string().nullable() })
    .nullable()
    .meta({ description: 'The account of Signalbox on the platform; null if it was not checked.' }),
  warnings: z.array(z.string()),
}
const CheckedInstance = z.object({ instance: ChatInstance, ...checked }).meta({ id: 'CheckedInstance' })

export const chatInstanceEndpoints = {
  listChatPlatforms: endpoint({
    method: 'GET',
    path: '/api/chat-platforms',
    tag: 'chat instances',
    summary: 'Chat platforms and the credentials each one needs',
    status: 200,
    response: () => z.object({ platforms: z.array(ChatPlatform) }),
  }),
  getChatManifest: endpoint({
    method: 'GET',
    path: '/api/chat-platforms/{name}/manifest',
    tag: 'chat instances',
    summary: 'The app’s description to paste into the platform',
    status: 200,
    params: ByName,
    response: () => z.object({ manifest: z.string() }),
  }),
  listChatInstances: endpoint({
    method: 'GET',
    path: '/api/chat-instances',
    tag: 'chat instances',
    summary: 'Accounts of Signalbox on chat platforms, and whether they are connected; never their credentials',
    status: 200,
    response: () => z.object({ instances: z.array(ChatInstance) }),
  }),
  addChatInstance: endpoint({
    method: 'POST',
    path: '/api/chat-instances',
    tag: 'chat instances',
    summary: 'Add an account on a chat platform, and connect it',
    status: 201,
    body: () =>
      z.strictObject({
        platform: newInstance.platform,
        name: newInstance.name.optional().meta({ description: 'Default: the name of the platform.' }),
        title: newInstance.title.optional().meta({ description: 'Default: the name of the workspace.' }),
        settings: newInstance.settings,
        credentials,
        check,
      }),
    response: CheckedInstance,
  }),
  getChatInstance: endpoint({
    method: 'GET',
    path: '/api/chat-instances/{id}',
    tag: 'chat instances',
    summary: 'An account on a chat platform, and whether it is connected',
    status: 200,
    params: ById,
    response: ChatInstance,
  }),
  updateChatInstance: endpoint({
    method: 'PATCH',
    path: '/api/chat-instances/{id}',
    tag: 'chat instances',
    summary: 'Change the title or settings, or replace all credentials',
    status: 200,
    params: ById,
    body: () => z.strictObject({ ...instanceChanges, credentials: credentials.optional(), check }),
    response: CheckedInstance,
  }),
  startChatInstance: endpoint({
    method: 'POST',
    path: '/api/chat-instances/{id}/start',
    tag: 'chat instances',
    summary: 'Connect a chat account',
    status: 200,
    params: ById,
    response: ChatInstance,
  }),
  stopChatInstance: endpoint({
    method: 'POST',
    path: '/api/chat-instances/{id}/stop',
    tag: 'chat instances',
    summary: 'Disconnect a chat account until it is started again',
    status: 200,
    params: ById,
    response: ChatInstance,
  }),
  checkChatInstance: endpoint({
    method: 'POST',
    path: '/api/chat-instances/{id}/check',
    tag: 'chat instances',
    summary: 'Ask the platform whether the stored credentials work',
    status: 200,
    params: ById,
    response: CheckedInstance,
  }),
  removeChatInstance: endpoint({
    method: 'DELETE',
    path: '/api/chat-instances/{id}',
    tag: 'chat instances',
    summary: 'Disconnect a chat account and delete its credentials; its chats stay',
    status: 200,
    params: ById,
    response: () => z.object({ id: ChatInstanceId, removed: z.literal(true) }),
  }),
}
