import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../../../src/domain/session/schema.ts'
import type { Repo } from '../../../src/domain/workspace/schema.ts'
import type { Client } from '../../api/transport.ts'

/** Whose files are offered too. */
export type TemplatePlace = { sessionId?: Session['id']; repoId?: Repo['id'] }

export const templatesQuery = (client: Client, place: TemplatePlace) =>
  queryOptions({
    queryKey: ['templates', place],
    queryFn: () => client.listTemplates({ query: place }),
    // Files of a workspace change without an event.
    staleTime: 5000,
  })
