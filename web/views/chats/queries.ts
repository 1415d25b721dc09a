import { queryOptions, useQuery } from '@tanstack/react-query'
import type { AgentGroupId } from '../../../src/domain/agent-group/schema.ts'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'

export const groupsQuery = (client: Client) =>
  queryOptions({ queryKey: ['groups'], queryFn: async () => (await client.listAgentGroups({})).agentGroups })

export const groupConfigQuery = (client: Client, id: AgentGroupId) =>
  queryOptions({ queryKey: ['groups', id, 'config'], queryFn: () => client.getGroupConfig({ params: { id } }) })

export const groupInstructionsQuery = (client: Client, id: AgentGroupId) =>
  queryOptions({
    queryKey: ['groups', id, 'instructions'],
    queryFn: () => client.getGroupInstructions({ params: { id } }),
  })

/** Agents report what they spent without an event. */
const spendingEveryMs = 30_000

export const groupSpendingQuery = (client: Client, id: AgentGroupId) =>
  queryOptions({
    queryKey: ['groups', id, 'spending'],
    queryFn: () => client.groupSpending({ params: { id } }),
    refetchInterval: spendingEveryMs,
  })

export const groupDependentsQuery = (client: Client, id: AgentGroupId) =>
  queryOptions({ queryKey: ['sessions', 'dependents', id], queryFn: () => client.groupDependents({ params: { id } }) })

/** Stale with every change of a session. */
export const groupSessionsQuery = (client: Client, agentGroupId: AgentGroupId) =>
  queryOptions({
    queryKey: ['sessions', 'group', agentGroupId],
    queryFn: () =>
      client.listSessions({ query: { agentGroupId, view: 'full', status: 'created,active,paused,interrupted' } }),
  })

/** Stale with every change of an ask. */
export const groupAsksQuery = (client: Client, agentGroupId: AgentGroupId) =>
  queryOptions({
    queryKey: ['inbox', 'group', agentGroupId],
    queryFn: () => client.listAsks({ query: { agentGroupId, limit: 10 } }),
  })

export const chatsQuery = (client: Client) =>
  queryOptions({ queryKey: ['chats'], queryFn: async () => (await client.listChats({})).chats })

export const destinationsQuery = (client: Client) =>
  queryOptions({ queryKey: ['destinations'], queryFn: async () => (await client.listDestinations({})).destinations })

/** Connections come and go without an event. */
const lookEveryMs = 3000

export const instancesQuery = (client: Client) =>
  queryOptions({
    queryKey: ['instances'],
    queryFn: async () => (await client.listChatInstances({})).instances,
    refetchInterval: lookEveryMs,
  })

export const platformsQuery = (client: Client) =>
  queryOptions({ queryKey: ['platforms'], queryFn: async () => (await client.listChatPlatforms({})).platforms })

/** Admins see instances; others get none. */
export function useInstances(): readonly ChatInstance[] {
  const { administer } = usePermissions()
  const { data } = useQuery({ ...instancesQuery(useClient()), refetchInterval: false, enabled: administer })
  return data ?? []
}
