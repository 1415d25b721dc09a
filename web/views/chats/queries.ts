import { queryOptions, useQuery } from '@tanstack/react-query'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import type { Chat } from '../../../src/domain/chat/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import type { Client } from '../../api/transport.ts'
import { safeText } from '../../ui/safe-text.ts'
import { platformTitle } from './words.ts'

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

export const nameOfGroup = (groups: readonly AgentGroup[] | undefined, id: string): string =>
  safeText(groups?.find((group) => group.id === id)?.name ?? 'another agent group')

/** Slack, or its title if there are several of them. */
export const nameOfInstance = ({ title, platform }: Pick<ChatInstance, 'title' | 'platform'>): string =>
  safeText(title.toLowerCase() === platform ? platformTitle(platform) : title)

/** What people call a chat; its id on the platform if it has no name. */
export const nameOfChat = ({ name, platformId }: Pick<Chat, 'name' | 'platformId'>): string =>
  safeText(name ?? platformId)

/** Admins see instances; others get none. */
export function useInstances(): readonly ChatInstance[] {
  const { administer } = usePermissions()
  const { data } = useQuery({ ...instancesQuery(useClient()), refetchInterval: false, enabled: administer })
  return data ?? []
}
