import * as z from 'zod'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { Identity } from '../user/schema.ts'
import { ChatInstanceId, MessagingGroupId, SessionMode, WiringId } from './id.ts'

/** What happens to messages of people who are not known: dropped, held until an admin approves, or let in. */
export const UnknownSenderPolicy = z.enum(['strict', 'request_approval', 'public'])
export type UnknownSenderPolicy = z.infer<typeof UnknownSenderPolicy>
export const EngageMode = z.enum(['pattern', 'mention', 'mention-sticky'])
export type EngageMode = z.infer<typeof EngageMode>
export const SenderScope = z.enum(['all', 'known'])
export type SenderScope = z.infer<typeof SenderScope>
/** `accumulate`: messages that do not engage the agent are kept as context for the next one that does. */
export const IgnoredMessagePolicy = z.enum(['drop', 'accumulate'])
export type IgnoredMessagePolicy = z.infer<typeof IgnoredMessagePolicy>
export const Verbosity = z.enum(['quiet', 'verbose'])
export type Verbosity = z.infer<typeof Verbosity>

const channelType = z
  .string()
  .max(40)
  .regex(/^[a-z][a-z0-9_-]*$/)
const platformId = z.string().min(1).max(400)
const chatName = z.string().trim().min(1).max(200)
const engagePattern = z.string().min(1).max(1000)

/** A chat on a platform. */
export const Chat = z
  .object({
    id: MessagingGroupId,
    channelType: z.string(),
    platformId: z.string(),
    name: z.string().nullable(),
    isGroup: z.boolean(),
    unknownSenderPolicy: UnknownSenderPolicy,
    instanceId: ChatInstanceId.nullable(),
    createdAt: z.iso.datetime(),
    deniedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Chat' })
export type Chat = z.infer<typeof Chat>

export const wiringSettings = {
  sessionMode: SessionMode,
  priority: z.int().min(-1000).max(1000),
  engageMode: EngageMode,
  engagePattern: engagePattern
    .nullable()
    .meta({ description: 'A regular expression; `.` or null engages on every message.' }),
  senderScope: SenderScope,
  ignoredMessagePolicy: IgnoredMessagePolicy,
  verbosity: Verbosity,
}

/** Which agent group listens in which chat, and how. */
export const Wiring = z
  .object({
    id: WiringId,
    chatId: MessagingGroupId,
    agentGroupId: AgentGroupId,
    ...wiringSettings,
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Wiring' })
export type Wiring = z.infer<typeof Wiring>
export type WiringSettings = Pick<Wiring, keyof typeof wiringSettings>

export const TargetType = z.enum(['channel', 'agent'])
export type TargetType = z.infer<typeof TargetType>

/** A name that an agent group may send to; the row is the permission. */
export const AgentDestination = z
  .object({
    agentGroupId: AgentGroupId,
    localName: z.string(),
    targetType: TargetType,
    targetId: z.uuid(),
    wiringId: WiringId.nullable().meta({
      description: 'The wiring that made it, and takes it along when it is removed.',
    }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'AgentDestination' })
export type AgentDestination = z.infer<typeof AgentDestination>

/** Someone unknown who wrote to a chat. */
export const Stranger = z
  .object({
    channelType: z.string(),
    platformId: z.string(),
    identity: z.string().nullable(),
    name: z.string().nullable(),
    reason: z.string(),
    chatId: MessagingGroupId.nullable(),
    agentGroupId: AgentGroupId.nullable(),
    messageCount: z.int(),
    firstSeen: z.iso.datetime(),
    lastSeen: z.iso.datetime(),
  })
  .meta({ id: 'Stranger' })
export type Stranger = z.infer<typeof Stranger>

/** Why a message was not delivered to anyone. */
export const StrangerReason = z.enum([
  'no_agent_wired',
  'no_agent_engaged',
  'unknown_sender_strict',
  'unknown_sender_request_approval',
  'unknown_sender_scope',
  'unknown_sender_rejected',
  'chat_denied',
  'too_many_held',
])
export type StrangerReason = z.infer<typeof StrangerReason>

export const localName = z
  .string()
  .max(80)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u, 'must be one word: letters, digits, dots and dashes')

export const newChat = {
  channelType,
  platformId,
  name: chatName.nullable().default(null),
  isGroup: z.boolean().default(false),
  unknownSenderPolicy: UnknownSenderPolicy.default('strict'),
  instanceId: ChatInstanceId.nullable().default(null),
}
export const chatChanges = {
  name: chatName.nullable().optional(),
  isGroup: z.boolean().optional(),
  unknownSenderPolicy: UnknownSenderPolicy.optional(),
  instanceId: ChatInstanceId.optional(),
}
export const newWiring = {
  chatId: MessagingGroupId,
  agentGroupId: AgentGroupId,
  sessionMode: SessionMode.default('shared'),
  priority: wiringSettings.priority.default(0),
  engageMode: EngageMode.default('mention'),
  engagePattern: wiringSettings.engagePattern.default(null),
  senderScope: SenderScope.default('all'),
  ignoredMessagePolicy: IgnoredMessagePolicy.default('drop'),
  verbosity: Verbosity.default('quiet'),
}
export const newDestination = {
  agentGroupId: AgentGroupId,
  localName: localName.nullable().default(null).meta({ description: 'Default: derived from the name of the target.' }),
  targetType: TargetType,
  targetId: z.uuid(),
}

export const ChatCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('chat.add'), id: MessagingGroupId, ...newChat }),
  z.object({ type: z.literal('chat.update'), id: MessagingGroupId, ...chatChanges }),
  /** Messages there get no reply and open no ask, until it is wired. */
  z.object({ type: z.literal('chat.deny'), id: MessagingGroupId }),
  z.object({ type: z.literal('chat.remove'), id: MessagingGroupId }),
  z.object({ type: z.literal('wiring.add'), id: WiringId, ...newWiring }),
  z.object({
    type: z.literal('wiring.update'),
    id: WiringId,
    ...z.object(wiringSettings).partial().shape,
  }),
  z.object({ type: z.literal('wiring.remove'), id: WiringId }),
  z.object({ type: z.literal('destination.add'), ...newDestination }),
  z.object({ type: z.literal('destination.remove'), agentGroupId: AgentGroupId, localName: z.string().max(80) }),
  z.object({
    type: z.literal('stranger.note'),
    channelType,
    platformId,
    identity: Identity.nullable(),
    name: z.string().max(200).nullable(),
    reason: StrangerReason,
    chatId: MessagingGroupId.nullable(),
    agentGroupId: AgentGroupId.nullable(),
  }),
  // With the name of the account: each has its own direct chat with a person.
  z.object({ type: z.literal('dm.note'), userId: UserId, channelType: z.string().max(200), chatId: MessagingGroupId }),
])
export type ChatCommand = z.infer<typeof ChatCommand>
export type ChatCommandOf<T extends ChatCommand['type']> = Extract<ChatCommand, { type: T }>

const wired = { id: WiringId, chatId: MessagingGroupId, agentGroupId: AgentGroupId }
const named = { agentGroupId: AgentGroupId, localName: z.string() }

/** Events about chats. */
export const chatEvents = {
  'chat.added': () => z.object({ id: MessagingGroupId, channelType: z.string(), platformId: z.string() }),
  'chat.updated': () => z.object({ id: MessagingGroupId, fields: z.array(z.string()) }),
  'chat.denied': () => z.object({ id: MessagingGroupId }),
  'chat.removed': () => z.object({ id: MessagingGroupId }),
  'wiring.added': () => z.object({ ...wired, localName: z.string().nullable() }),
  'wiring.updated': () => z.object({ ...wired, fields: z.array(z.string()) }),
  'wiring.removed': () => z.object(wired),
  'destination.added': () => z.object({ ...named, targetType: TargetType, targetId: z.string() }),
  'destination.removed': () => z.object(named),
}
type Data = DataOf<typeof chatEvents>

export type ChatChange =
  | { type: 'chat.added'; data: Data['chat.added']; body: Omit<Chat, 'createdAt' | 'deniedAt'> }
  | { type: 'chat.updated'; data: Data['chat.updated']; body: Partial<Chat> }
  | { type: 'chat.denied'; data: Data['chat.denied'] }
  | { type: 'chat.removed'; data: Data['chat.removed'] }
  /** The wiring and its destination, written together. */
  | { type: 'wiring.added'; data: Data['wiring.added']; body: WiringSettings }
  | { type: 'wiring.updated'; data: Data['wiring.updated']; body: Partial<WiringSettings> }
  | { type: 'wiring.removed'; data: Data['wiring.removed'] }
  | { type: 'destination.added'; data: Data['destination.added'] }
  | { type: 'destination.removed'; data: Data['destination.removed'] }
  /** Counted in the table, not logged: strangers must not fill the log. */
  | { type: 'stranger.noted'; data: Omit<ChatCommandOf<'stranger.note'>, 'type'> }
  | { type: 'dm.noted'; data: Omit<ChatCommandOf<'dm.note'>, 'type'> }
