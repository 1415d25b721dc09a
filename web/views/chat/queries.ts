import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../../api/transport.ts'

/** While a reply is awaited: another node may write it, or see the agent fail, and its live messages do not come here. */
export const lookEveryMs = 3000

export const webChatsQuery = (client: Client) =>
  queryOptions({
    queryKey: ['web-chats'],
    queryFn: async () => (await client.listWebChats({})).webChats,
    refetchInterval: ({ state: { data } }) => (data?.some(({ working }) => working) ? lookEveryMs : false),
  })
