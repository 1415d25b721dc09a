import type { Client } from '../../client/client.ts'
import type { AgentDestination, Stranger } from '../../domain/chat/schema.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { findChat, findGroup } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { addDestinationFlags, destinationListFlags } from '../table/chats.ts'
import { relativeTime } from '../times.ts'
import { namesOfGroups } from './agent-groups.ts'

/** Names by id, with their platform: `slack general`. */
export async function namesOfChats(client: Client): Promise<ReadonlyMap<string, string>> {
  const chats = await client
    .listChats({})
    .then(({ chats }) => chats)
    .catch(() => [])
  return new Map(chats.map(({ id, channelType, name, platformId }) => [id, `${channelType} ${name ?? platformId}`]))
}

export const listDestinations: Handler<typeof destinationListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const only = new Set(await Promise.all(flags.group.map((group) => findGroup(client, group))))
  const all = (await client.listDestinations({})).destinations
  const shown = only.size === 0 ? all : all.filter(({ agentGroupId }) => only.has(agentGroupId))
  const [groups, chats] = await Promise.all([namesOfGroups(client), namesOfChats(client)])
  printResult(context, shown, () => {
    const columns: Column<AgentDestination>[] = [
      { title: 'GROUP', cell: ({ agentGroupId }) => groups.get(agentGroupId) ?? shortId(agentGroupId) },
      { title: 'NAME', cell: ({ localName }) => localName },
      {
        title: 'LEADS TO',
        cell: ({ targetType, targetId }) =>
          targetType === 'agent'
            ? `agent group ${groups.get(targetId) ?? shortId(targetId)}`
            : (chats.get(targetId) ?? shortId(targetId)),
        shrinks: true,
      },
      { title: 'MADE BY', cell: ({ wiringId }) => (wiringId === null ? 'hand' : 'wiring') },
      { title: 'ADDED', cell: ({ createdAt }) => relativeTime(createdAt, context.now()) },
    ]
    return tableOr(context, shown, columns, 'No destinations. A wiring makes one: signalbox chats wire CHAT GROUP')
  })
}

export const addDestination: Handler<typeof addDestinationFlags> = async (
  { args: [group = '', target = ''], flags },
  context,
) => {
  const { client } = await context.api()
  const agentGroupId = await findGroup(client, group)
  const body = {
    agentGroupId,
    targetType: flags.agent ? ('agent' as const) : ('channel' as const),
    targetId: flags.agent ? await findGroup(client, target) : await findChat(client, target),
    ...(flags.name !== undefined && { localName: flags.name }),
  }
  printResult(
    context,
    await client.addDestination({ body }),
    ({ localName }) => `${group} can send messages to ${target} as ${localName}.`,
  )
}

export const removeDestination: Handler = async ({ args: [group = '', localName = ''] }, context) => {
  const { client } = await context.api()
  const params = { agentGroupId: await findGroup(client, group), localName }
  printResult(
    context,
    await client.removeDestination({ params }),
    () => `${group} can no longer send messages to ${localName}.`,
  )
}

const reasons: Readonly<Record<string, string>> = {
  no_agent_wired: 'no agent group listens there',
  no_agent_engaged: 'no agent was addressed',
  unknown_sender_strict: 'unknown, and dropped',
  unknown_sender_request_approval: 'waiting for an admin',
  unknown_sender_scope: 'not a member',
  unknown_sender_rejected: 'rejected by an admin',
  chat_denied: 'the chat is ignored',
  too_many_held: 'too many messages wait',
}

export const listStrangers: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const strangers = (await client.listStrangers({})).strangers
  const chats = await namesOfChats(client)
  printResult(context, strangers, () => {
    const columns: Column<Stranger>[] = [
      { title: 'IDENTITY', cell: ({ identity, platformId }) => identity ?? platformId },
      { title: 'NAME', cell: ({ name }) => name ?? '', shrinks: true },
      {
        title: 'CHAT',
        cell: ({ chatId, channelType, platformId }) =>
          (chatId === null ? undefined : chats.get(chatId)) ?? `${channelType} ${platformId}`,
        shrinks: true,
      },
      { title: 'WHY', cell: ({ reason }) => reasons[reason] ?? reason },
      { title: 'MESSAGES', cell: ({ messageCount }) => String(messageCount) },
      { title: 'LAST', cell: ({ lastSeen }) => relativeTime(lastSeen, context.now()) },
    ]
    return tableOr(context, strangers, columns, 'No messages from unknown people.')
  })
}
