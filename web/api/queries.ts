import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Client } from './transport.ts'
import { useClient } from './backend.tsx'

// Keys start with the prefixes in freshness.ts, so that events can mark them as stale.

export const meQuery = (client: Client) => queryOptions({ queryKey: ['me'], queryFn: () => client.getMe({}) })

export const inboxQuery = (client: Client) => queryOptions({ queryKey: ['inbox'], queryFn: () => client.inbox({}) })

export const namesQuery = (client: Client) => queryOptions({ queryKey: ['names'], queryFn: () => client.listNames({}) })

export const askQuery = (client: Client, id: string) =>
  queryOptions({ queryKey: ['ask', id], queryFn: () => client.getAsk({ params: { id } }) })

export const sessionQuery = (client: Client, id: string) =>
  queryOptions({
    queryKey: ['session', id],
    queryFn: () => client.getSession({ params: { id }, query: { messages: 'none' } }),
  })

export const agentsQuery = (client: Client) =>
  queryOptions({ queryKey: ['agents'], queryFn: () => client.listAgents({}), staleTime: 60_000 })

export const reposQuery = (client: Client) =>
  queryOptions({ queryKey: ['repos'], queryFn: async () => (await client.listRepos({})).repos })

const nothing = { machine: false, administer: false, grant: false }

/** What this person may do. Actions that would be refused are not offered. */
export const usePermissions = () => useQuery(meQuery(useClient())).data?.may ?? nothing
