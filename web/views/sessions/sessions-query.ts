import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Client } from '../../api/transport.ts'
import { queryOf, type Filters } from './filters.ts'

const pageSize = 100

export const sessionsQuery = (client: Client, filters: Filters) =>
  infiniteQueryOptions({
    queryKey: ['sessions', 'list', filters],
    queryFn: ({ pageParam }) =>
      client.listSessions({
        query: {
          view: 'full',
          limit: pageSize,
          ...queryOf(filters),
          ...(filters.repo !== '' && { repoId: filters.repo }),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
