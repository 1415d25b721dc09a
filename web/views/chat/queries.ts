import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../../api/transport.ts'

export const webChatsQuery = (client: Client) =>
  queryOptions({ queryKey: ['web-chats'], queryFn: () => client.listWebChats({}) })
