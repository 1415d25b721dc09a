import * as z from 'zod'
import { AgentGroup, AgentGroupId, agentGroupFields, newAgentGroup } from '../../domain/agent-group/schema.ts'
import { MessagingGroupId, WiringId } from '../../domain/chat/id.ts'
import {
  AgentDestination,
  Chat,
  chatChanges,
  newChat,
  newDestination,
  newWiring,
  Stranger,
  Wiring,
  wiringSettings,
} from '../../domain/chat/schema.ts'
import { UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'

const GroupById = z.object({ id: AgentGroupId })
const ChatById = z.object({ id: MessagingGroupId })
const WiringById = z.object({ id: WiringId })
const removed = <T extends z.ZodType>(id: T) => z.object({ id, removed: z.literal(true) })

export const GroupMember = z
  .object({
    userId: UserId,
    displayName: z.string(),
    role: z.enum(['admin', 'member']).meta({ description: 'Admins of the group are members too.' }),
    addedBy: UserId.nullable(),
    addedAt: z.iso.datetime(),
  })
  .meta({ id: 'GroupMember' })
export type GroupMember = z.infer<typeof GroupMember>

export const WiredChat = Chat.extend({
  wirings: z.array(Wiring).meta({ description: 'Those of the agent groups that you administer.' }),
}).meta({ id: 'WiredChat' })
export type WiredChat = z.infer<typeof WiredChat>

export const chatEndpoints = {
  listAgentGroups: endpoint({
    method: 'GET',
    path: '/api/agent-groups',
    tag: 'agent groups',
    summary: 'Agent groups that you belong to; all of them for admins',
    status: 200,
    response: () => z.object({ agentGroups: z.array(AgentGroup) }),
  }),
  createAgentGroup: endpoint({
    method: 'POST',
    path: '/api/agent-groups',
    tag: 'agent groups',
    summary: 'Create an agent group: an agent that people write to in chats',
    status: 201,
    body: () => z.strictObject(newAgentGroup),
    response: AgentGroup,
  }),
  getAgentGroup: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}',
    tag: 'agent groups',
    summary: 'An agent group',
    status: 200,
    params: GroupById,
    response: AgentGroup,
  }),
  updateAgentGroup: endpoint({
    method: 'PATCH',
    path: '/api/agent-groups/{id}',
    tag: 'agent groups',
    summary: 'Change the name, agent, repo or directory of an agent group',
    status: 200,
    params: GroupById,
    body: () => z.strictObject(agentGroupFields).partial(),
    response: AgentGroup,
  }),
  removeAgentGroup: endpoint({
    method: 'DELETE',
    path: '/api/agent-groups/{id}',
    tag: 'agent groups',
    summary: 'Remove an agent group with its wirings and destinations; its sessions stay',
    status: 200,
    params: GroupById,
    response: () => removed(AgentGroupId),
  }),
  listMembers: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}/members',
    tag: 'agent groups',
    summary: 'Members and admins of an agent group, for its admins',
    status: 200,
    params: GroupById,
    response: () => z.object({ members: z.array(GroupMember) }),
  }),

  listChats: endpoint({
    method: 'GET',
    path: '/api/chats',
    tag: 'chats',
    summary: 'Chats with their wirings; admins of an agent group see those it is wired to',
    status: 200,
    response: () => z.object({ chats: z.array(WiredChat) }),
  }),
  addChat: endpoint({
    method: 'POST',
    path: '/api/chats',
    tag: 'chats',
    summary: 'Add a chat by its id on the platform; most are added when someone writes there',
    status: 201,
    body: () => z.strictObject(newChat),
    response: WiredChat,
  }),
  getChat: endpoint({
    method: 'GET',
    path: '/api/chats/{id}',
    tag: 'chats',
    summary: 'A chat with its wirings',
    status: 200,
    params: ChatById,
    response: WiredChat,
  }),
  updateChat: endpoint({
    method: 'PATCH',
    path: '/api/chats/{id}',
    tag: 'chats',
    summary: 'Rename a chat, or set what happens to messages from unknown people',
    status: 200,
    params: ChatById,
    body: () => z.strictObject(chatChanges),
    response: WiredChat,
  }),
  removeChat: endpoint({
    method: 'DELETE',
    path: '/api/chats/{id}',
    tag: 'chats',
    summary: 'Remove a chat with its wirings and the destinations that lead to it',
    status: 200,
    params: ChatById,
    response: () => removed(MessagingGroupId),
  }),
  denyChat: endpoint({
    method: 'POST',
    path: '/api/chats/{id}/deny',
    tag: 'chats',
    summary: 'Ignore a chat: no reply, no ask, until it is wired again',
    status: 200,
    params: ChatById,
    response: WiredChat,
  }),
  testChat: endpoint({
    method: 'POST',
    path: '/api/chats/{id}/test',
    tag: 'chats',
    summary: 'Send a test message to a chat',
    status: 202,
    params: ChatById,
    response: () =>
      z.object({
        id: MessagingGroupId,
        queued: z.literal(true),
        connected: z.boolean().describe('Whether the account is connected; if not, the message is sent once it is.'),
      }),
  }),

  listWirings: endpoint({
    method: 'GET',
    path: '/api/wirings',
    tag: 'chats',
    summary: 'Which agent groups listen in which chats, for those who administer the groups',
    status: 200,
    response: () => z.object({ wirings: z.array(Wiring) }),
  }),
  addWiring: endpoint({
    method: 'POST',
    path: '/api/wirings',
    tag: 'chats',
    summary: 'Let an agent group listen in a chat, and write to it',
    status: 201,
    body: () => z.strictObject(newWiring),
    response: Wiring,
  }),
  updateWiring: endpoint({
    method: 'PATCH',
    path: '/api/wirings/{id}',
    tag: 'chats',
    summary: 'Change how an agent group listens in a chat',
    status: 200,
    params: WiringById,
    body: () => z.strictObject(wiringSettings).partial(),
    response: Wiring,
  }),
  removeWiring: endpoint({
    method: 'DELETE',
    path: '/api/wirings/{id}',
    tag: 'chats',
    summary: 'Stop listening in a chat; also removes the destination that the wiring made',
    status: 200,
    params: WiringById,
    response: () => removed(WiringId),
  }),

  listDestinations: endpoint({
    method: 'GET',
    path: '/api/destinations',
    tag: 'chats',
    summary: 'Where agent groups can send messages, for those who administer the groups',
    status: 200,
    response: () => z.object({ destinations: z.array(AgentDestination) }),
  }),
  addDestination: endpoint({
    method: 'POST',
    path: '/api/destinations',
    tag: 'chats',
    summary: 'Let an agent group send messages to a chat or to another agent group',
    status: 201,
    body: () => z.strictObject(newDestination),
    response: AgentDestination,
  }),
  removeDestination: endpoint({
    method: 'DELETE',
    path: '/api/destinations/{agentGroupId}/{localName}',
    tag: 'chats',
    summary: 'Remove a destination',
    status: 200,
    params: () => z.object({ agentGroupId: AgentGroupId, localName: z.string().max(80) }),
    response: () => z.object({ agentGroupId: AgentGroupId, localName: z.string(), removed: z.literal(true) }),
  }),

  listStrangers: endpoint({
    method: 'GET',
    path: '/api/strangers',
    tag: 'chats',
    summary: 'Unknown people who wrote in chats, and why their messages were not delivered',
    status: 200,
    response: () => z.object({ strangers: z.array(Stranger) }),
  }),
}
