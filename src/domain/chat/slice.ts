import type { Executor } from '../../db/open.ts'
import { loadGroup } from '../agent-group/store.ts'
import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { ok, type Result } from '../../lib/result.ts'
import { decideChat, decideDestination, decideWiring } from './decide.ts'
import { chatEvents, type ChatChange, type ChatCommand, type ChatCommandOf } from './schema.ts'
import {
  linksOfChat,
  loadChat,
  loadChatAt,
  loadDestinations,
  loadWiring,
  projectChat,
  stateOfChat,
  wiringBetween,
} from './store.ts'
import type { MessagingGroupId } from './id.ts'
import type { AgentGroupId } from '../user/id.ts'

/** Rare commands on chats, wirings, destinations and agent groups refer to each other: one stream for all. */
export const chatStream = 'chats'

export const chatSlice: Slice<ChatCommand, ChatChange> = {
  events: { ...chatEvents, 'stranger.noted': 'tables', 'dm.noted': 'tables' },

  streams(_db, command) {
    if (command.type === 'stranger.note') return [`stranger:${command.channelType}:${command.platformId}`]
    return [command.type === 'dm.note' ? `dm:${command.userId}` : chatStream]
  },

  async load(db, command, context) {
    const wiring =
      command.type === 'wiring.update' || command.type === 'wiring.remove'
        ? await loadWiring(db, command.id)
        : undefined
    const listeners = await listenersOf(db, command)
    return { grounds: { ...groundsOf(context), wiring, listeners }, decide: () => decided(db, command) }
  },

  project: projectChat,

  audience: (change) => ({ stream: streamOf(change), visibility: 'admin' }),

  subject(command, changes) {
    switch (command.type) {
      case 'chat.add':
        return changes.find((change) => change.type === 'chat.added')?.data.id ?? command.id
      case 'destination.add':
        return changes.find((change) => change.type === 'destination.added')?.data.localName ?? ''
      case 'destination.remove':
        return command.localName
      case 'stranger.note':
        return command.identity ?? command.platformId
      case 'dm.note':
        return command.chatId
      default:
        return command.id
    }
  },
}

/** Who listens already in the chat that is wired, or becomes a destination. */
async function listenersOf(db: Executor, command: ChatCommand): Promise<AgentGroupId[] | undefined> {
  if (command.type === 'wiring.add') return groupsIn(db, command.chatId)
  const isChat = command.type === 'destination.add' && command.targetType === 'channel'
  return isChat ? groupsIn(db, command.targetId as MessagingGroupId) : undefined
}

const groupsIn = async (db: Executor, chatId: MessagingGroupId): Promise<AgentGroupId[]> =>
  (await linksOfChat(db, chatId)).wirings.map(({ agentGroupId }) => agentGroupId)

function streamOf({ data }: ChatChange): string {
  if ('chatId' in data && data.chatId !== null) return data.chatId
  if ('id' in data) return data.id
  return 'agentGroupId' in data && data.agentGroupId !== null ? data.agentGroupId : chatStream
}

async function decided(db: Executor, command: ChatCommand): Promise<Result<ChatChange[]>> {
  switch (command.type) {
    case 'chat.add':
    case 'chat.update':
    case 'chat.deny':
    case 'chat.remove': {
      const chat = stateOfChat(await loadChat(db, command.id))
      const atPlace = command.type === 'chat.add' ? stateOfChat(await loadChatAt(db, command)) : undefined
      return decideChat({ chat, atPlace, ...(await linksOfChat(db, command.id)) }, command)
    }
    case 'wiring.add':
    case 'wiring.update':
    case 'wiring.remove':
      return decideWiring(await wiringFacts(db, command), command)
    case 'destination.add':
    case 'destination.remove': {
      const { agentGroupId } = command
      const target = command.type === 'destination.add' ? await targetOf(db, command) : undefined
      const facts = { ...(await groupFacts(db, agentGroupId)), target }
      return decideDestination(facts, command)
    }
    case 'stranger.note': {
      const { type: _type, ...data } = command
      return ok([{ type: 'stranger.noted', data }])
    }
    case 'dm.note': {
      const { type: _type, ...data } = command
      return ok([{ type: 'dm.noted', data }])
    }
    default:
      return command satisfies never
  }
}

async function groupFacts(db: Executor, id: AgentGroupId) {
  const group = await loadGroup(db, id)
  return { groupExists: group !== undefined && group.removedAt === null, destinations: await loadDestinations(db, id) }
}

async function wiringFacts(db: Executor, command: ChatCommandOf<'wiring.add' | 'wiring.update' | 'wiring.remove'>) {
  if (command.type !== 'wiring.add')
    return { chat: undefined, groupExists: true, wiring: await loadWiring(db, command.id), destinations: [] }
  const { chatId, agentGroupId } = command
  return {
    ...(await groupFacts(db, agentGroupId)),
    chat: stateOfChat(await loadChat(db, chatId)),
    wiring: await wiringBetween(db, chatId, agentGroupId),
  }
}

async function targetOf(db: Executor, { targetType, targetId }: ChatCommandOf<'destination.add'>) {
  if (targetType === 'agent') {
    const group = await loadGroup(db, targetId as AgentGroupId)
    return group && group.removedAt === null ? { name: group.name, otherwise: group.folder } : undefined
  }
  const chat = await loadChat(db, targetId as MessagingGroupId)
  return chat && !chat.removed ? { name: chat.name, otherwise: `${chat.channelType}-${chat.platformId}` } : undefined
}
