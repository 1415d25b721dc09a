import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { ChatInstanceId } from '../chat/id.ts'
import type { DataOf } from '../slice/events.ts'
import { UserId } from '../user/id.ts'

export { ChatInstanceId }

export const InstanceState = z.enum(['connecting', 'connected', 'reconnecting', 'refused', 'stopped'])
export type InstanceState = z.infer<typeof InstanceState>

/** One account of ours on one platform. Its credentials are never shown. */
export const ChatInstance = z
  .object({
    id: ChatInstanceId,
    platform: z.string(),
    name: z.string(),
    title: z.string(),
    settings: z.record(z.string(), Json),
    wanted: z.enum(['running', 'stopped']),
    state: InstanceState,
    stateError: z.string().nullable(),
    stateAt: z.iso.datetime().nullable(),
    nodeId: z.string().nullable(),
    createdBy: UserId.nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    removedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ChatInstance' })
export type ChatInstance = z.infer<typeof ChatInstance>

const word = /^[a-z0-9][a-z0-9_-]*$/
const title = z.string().trim().min(1).max(200)
/** Sealed by the edge. */
const credentials = z.string().max(100_000)
const settings = z.record(z.string().max(100), Json)
/** The platform's id of the workspace that the credentials are for; null if nobody asked, or it has none. */
const workspace = z.string().max(200).nullish()

export const newInstance = {
  platform: z.string().max(40).regex(word),
  name: z.string().max(40).regex(word, 'must be one word: small letters, digits and dashes'),
  title,
  settings: settings.default({}),
}
export const instanceChanges = { title: title.optional(), settings: settings.optional() }

export const InstanceCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('instance.add'), id: ChatInstanceId, credentials, workspace, ...newInstance }),
  z.object({
    type: z.literal('instance.update'),
    id: ChatInstanceId,
    credentials: credentials.optional(),
    workspace,
    ...instanceChanges,
  }),
  z.object({ type: z.literal('instance.start'), id: ChatInstanceId }),
  z.object({ type: z.literal('instance.stop'), id: ChatInstanceId }),
  z.object({ type: z.literal('instance.remove'), id: ChatInstanceId }),
])
export type InstanceCommand = z.infer<typeof InstanceCommand>

/** Events about instances. */
export const instanceEvents = {
  'instance.added': () => z.object({ id: ChatInstanceId, platform: z.string(), name: z.string() }),
  'instance.updated': () => z.object({ id: ChatInstanceId, fields: z.array(z.string()) }),
  'instance.started': () => z.object({ id: ChatInstanceId }),
  'instance.stopped': () => z.object({ id: ChatInstanceId }),
  'instance.removed': () => z.object({ id: ChatInstanceId }),
}
type Data = DataOf<typeof instanceEvents>

type Contents = {
  title: string
  credentials: string
  settings: z.infer<typeof settings>
  workspace: string | null | undefined
}

export type InstanceChange =
  | { type: 'instance.added'; data: Data['instance.added']; body: Contents & { by: UserId | null } }
  | { type: 'instance.updated'; data: Data['instance.updated']; body: Partial<Contents> }
  | { type: 'instance.started'; data: Data['instance.started'] }
  | { type: 'instance.stopped'; data: Data['instance.stopped'] }
  | { type: 'instance.removed'; data: Data['instance.removed'] }
