import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'

export const groupsQuery = (client: Client) =>
  queryOptions({ queryKey: ['groups'], queryFn: () => client.listAgentGroups({}) })

export const chatsQuery = (client: Client) => queryOptions({ queryKey: ['chats'], queryFn: () => client.listChats({}) })

export const destinationsQuery = (client: Client) =>
  queryOptions({ queryKey: ['destinations'], queryFn: () => client.listDestinations({}) })

/** Connections come and go without an event. */
const lookEveryMs = 3000

export const instancesQuery = (client: Client) =>
  queryOptions({
    queryKey: ['instances'],
    queryFn: () => client.listChatInstances({}),
    refetchInterval: lookEveryMs,
  })

export const platformsQuery = (client: Client) =>
  queryOptions({ queryKey: ['platforms'], queryFn: () => client.listChatPlatforms({}) })

/** Admins see instances; others get none. */
export function useInstances(): readonly ChatInstance[] {
  const { administer } = usePermissions()
  const { data } = useQuery({ ...instancesQuery(useClient()), refetchInterval: false, enabled: administer })
  return data ?? []
}
