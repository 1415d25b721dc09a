import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../../api/transport.ts'

export const alertQuery = (client: Client, id: string) =>
  queryOptions({ queryKey: ['alerts', id], queryFn: () => client.getAlert({ params: { id: id } }) })

/** The diagnosis of a session; its activity makes it stale. */
export const diagnosisQuery = (client: Client, id: string) =>
  queryOptions({
    queryKey: ['session', id, 'diagnosis'],
    queryFn: () => client.diagnoseSession({ params: { id: id } }),
  })
