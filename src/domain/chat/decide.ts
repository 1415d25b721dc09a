import { linearRegex } from '../../lib/linear-regex.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { AgentGroupId } from '../user/id.ts'
import type { MessagingGroupId, WiringId } from './id.ts'
import { freeLocalName } from './local-name.ts'
import type { Chat, ChatChange, ChatCommandOf, TargetType } from './schema.ts'

export type ChatState = Pick<Chat, 'id' | 'channelType' | 'platformId' | 'name'> & {
  readonly removed: boolean
  readonly denied: boolean
}
export type WiringState = {
  readonly id: WiringId
  readonly chatId: MessagingGroupId
  readonly agentGroupId: AgentGroupId
}
export type DestinationState = {
  readonly agentGroupId: AgentGroupId
  readonly localName: string
  readonly targetType: TargetType
  readonly targetId: string
  readonly wiringId: WiringId | null
}

/** What refers to a chat or an agent group. */
export type Links = { readonly wirings: readonly WiringState[]; readonly destinations: readonly DestinationState[] }

export type ChatFacts = Links & {
  readonly chat: ChatState | undefined
  /** The chat that is at the wanted place already. */
  readonly atPlace: ChatState | undefined
}

export function decideChat(
  { chat, atPlace, ...links }: ChatFacts,
  command: ChatCommandOf<'chat.add' | 'chat.update' | 'chat.deny' | 'chat.remove'>,
): Result<ChatChange[]> {
  if (command.type === 'chat.add') {
    if (atPlace && !atPlace.removed)
      return fail({
        kind: 'conflict',
        code: 'chat_exists',
        message: `${command.channelType} ${command.platformId} was already added.`,
        details: { chatId: atPlace.id },
      })
    const { type: _type, ...body } = command
    // A chat that is added again keeps its id and its sessions.
    const id = atPlace?.id ?? command.id
    const { channelType, platformId } = command
    return ok([{ type: 'chat.added', data: { id, channelType, platformId }, body: { ...body, id } }])
  }
  if (!chat || chat.removed) return notFound('chat', command.id)
  const { id } = chat
  switch (command.type) {
    case 'chat.update': {
      const { type: _type, id: _id, ...wanted } = command
      const body = given(wanted)
      return ok([{ type: 'chat.updated', data: { id, fields: Object.keys(body) }, body }])
    }
    case 'chat.deny':
      return chat.denied ? ok([]) : ok([...links.wirings.map(wiringRemoved), { type: 'chat.denied', data: { id } }])
    case 'chat.remove':
      return ok([...unlinked(links), { type: 'chat.removed', data: { id } }])
    default:
      return command satisfies never
  }
}

export type WiringFacts = {
  readonly chat: ChatState | undefined
  readonly groupExists: boolean
  /** The wiring of the command, or the one that connects the same two. */
  readonly wiring: WiringState | undefined
  /** Destinations of the agent group. */
  readonly destinations: readonly DestinationState[]
}

export function decideWiring(
  { chat, groupExists, wiring, destinations }: WiringFacts,
  command: ChatCommandOf<'wiring.add' | 'wiring.update' | 'wiring.remove'>,
): Result<ChatChange[]> {
  const wrong = 'engagePattern' in command ? badPattern(command.engagePattern ?? null) : null
  if (wrong) return wrong
  if (command.type === 'wiring.add') {
    const { type: _type, id, chatId, agentGroupId, ...body } = command
    if (!chat || chat.removed) return notFound('chat', chatId)
    if (!groupExists) return notFound('agent_group', agentGroupId)
    if (wiring)
      return fail({
        kind: 'conflict',
        code: 'wiring_exists',
        message: 'This agent group already listens in this chat.',
        details: { wiringId: wiring.id },
      })
    const known = destinations.some(({ targetType, targetId }) => targetType === 'channel' && targetId === chatId)
    const localName = known ? null : nameFor(chat, destinations)
    return ok([{ type: 'wiring.added', data: { id, chatId, agentGroupId, localName }, body }])
  }
  if (!wiring) return notFound('wiring', command.id)
  if (command.type === 'wiring.remove') return ok([wiringRemoved(wiring)])
  const { type: _type, id: _id, ...wanted } = command
  const body = given(wanted)
  return ok([{ type: 'wiring.updated', data: { ...refOf(wiring), fields: Object.keys(body) }, body }])
}

export type DestinationFacts = {
  /** Whether the group exists, and what the destination leads to. */
  readonly groupExists: boolean
  readonly target: { readonly name: string | null; readonly otherwise: string } | undefined
  readonly destinations: readonly DestinationState[]
}

export function decideDestination(
  { groupExists, target, destinations }: DestinationFacts,
  command: ChatCommandOf<'destination.add' | 'destination.remove'>,
): Result<ChatChange[]> {
  const { agentGroupId } = command
  if (!groupExists) return notFound('agent_group', agentGroupId)
  if (command.type === 'destination.remove') {
    const found = destinations.find(({ localName }) => localName === command.localName)
    if (!found) return notFound('destination', command.localName)
    return ok([{ type: 'destination.removed', data: { agentGroupId, localName: found.localName } }])
  }
  const { targetType, targetId } = command
  if (!target) return notFound(targetType === 'channel' ? 'chat' : 'agent_group', targetId)
  const taken = destinations.map(({ localName }) => localName)
  if (command.localName !== null && taken.includes(command.localName))
    return fail({
      kind: 'conflict',
      code: 'destination_exists',
      message: `The agent group already has a destination ${command.localName}.`,
      hint: 'Use another name, or remove that one first.',
    })
  const localName = command.localName ?? freeLocalName([target.name, target.otherwise], taken)
  return ok([{ type: 'destination.added', data: { agentGroupId, localName, targetType, targetId } }])
}

const nameFor = (chat: ChatState, destinations: readonly DestinationState[]): string =>
  freeLocalName(
    [chat.name, `${chat.channelType}-${chat.platformId}`],
    destinations.map(({ localName }) => localName),
  )

/** Removes everything that leads to a chat or an agent group. */
export const unlinked = ({ wirings, destinations }: Links): ChatChange[] => [
  ...wirings.map(wiringRemoved),
  // The others go with their wiring.
  ...destinations
    .filter(({ wiringId }) => wiringId === null || !wirings.some(({ id }) => id === wiringId))
    .map(({ agentGroupId, localName }): ChatChange => ({
      type: 'destination.removed',
      data: { agentGroupId, localName },
    })),
]

const refOf = ({ id, chatId, agentGroupId }: WiringState) => ({ id, chatId, agentGroupId })
const wiringRemoved = (wiring: WiringState): ChatChange => ({ type: 'wiring.removed', data: refOf(wiring) })

/** The fields that are given. */
const given = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }

function badPattern(pattern: string | null): Failed | null {
  if (pattern === null || linearRegex(pattern) !== null) return null
  return fail({
    kind: 'invalid',
    code: 'invalid_pattern',
    message: `${pattern} is not a regular expression that Signalbox can use.`,
    hint: 'Back-references and look-around are not supported.',
  })
}
