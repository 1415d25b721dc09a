import { useQuery } from '@tanstack/react-query'
import type { InboxItem } from '../../../src/client/contract/inbox.ts'
import { useClient } from '../../api/backend.tsx'
import { inboxQuery } from '../../api/queries.ts'

export type AskItem = Extract<InboxItem, { kind: 'ask' }>

/** The inbox entry of an ask. */
export const useAskItem = (askId: string): AskItem | null => useAskPlace(askId).item

/** `known`: the inbox was read, so a missing item is really absent. */
export function useAskPlace(askId: string): { item: AskItem | null; known: boolean } {
  const { data, isPending } = useQuery(inboxQuery(useClient()))
  const item = data?.items.find(({ key }) => key === `ask:${askId}`)
  return { item: item?.kind === 'ask' ? item : null, known: !isPending }
}
