import { useQuery } from '@tanstack/react-query'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import type { SessionId } from '../../../../src/domain/session/id.ts'
import { useClient } from '../../../api/backend.tsx'

const none: readonly Ask[] = []

/** Recent asks of the session, and the open ones, oldest first. */
export function useSessionAsks(id: SessionId): { asks: readonly Ask[]; open: readonly Ask[] } {
  const client = useClient()
  const lately = useQuery({
    queryKey: ['asks', id, 'lately'],
    queryFn: () => client.listAsks({ query: { sessionId: id, limit: 30 } }),
  })
  const waiting = useQuery({
    queryKey: ['asks', id, 'open'],
    queryFn: () => client.listAsks({ query: { sessionId: id, status: 'open', limit: 100 } }),
  })
  return { asks: lately.data?.asks ?? none, open: waiting.data?.asks.toReversed() ?? none }
}
