import { useQuery } from '@tanstack/react-query'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import { useClient } from '../../api/backend.tsx'
import { askQuery, namesQuery, sessionQuery } from '../../api/queries.ts'
import type { AskItem } from '../asks/use-inbox-item.ts'
import type { AskerSession } from './pane-parts.tsx'

/** The whole ask. Until it is loaded, the list's copy is shown, unless that was shortened. */
export function useAsk(id: string, item: AskItem | null) {
  return useQuery({ ...askQuery(useClient(), id), ...(item && !item.clipped && { placeholderData: item.ask }) })
}

/** The session of an ask that left the list. */
export function usePastSession(id: string | null): AskerSession | null {
  const client = useClient()
  const { data } = useQuery({ ...sessionQuery(client, id ?? ''), enabled: id !== null, retry: false })
  const { data: names } = useQuery({ ...namesQuery(client), enabled: id !== null })
  return data
    ? askerOf(data, names?.people.find((person) => person.id === data.ownerUserId)?.displayName ?? null)
    : null
}

const askerOf = (session: SessionDetail, ownerName: string | null): AskerSession => ({
  id: session.id,
  title:
    session.agentState?.title ?? session.prompt?.trim().split('\n')[0] ?? session.repo?.name ?? session.workspaceRoot,
  agent: session.agent,
  repoName: session.repo?.name ?? null,
  workspaceRoot: session.workspaceRoot,
  protocolMode: session.protocolMode,
  ownerUserId: session.ownerUserId,
  ownerName,
})
