import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { undoStateQuery, useUndo } from './use-undo.ts'

/** An agent that waits for the answer writes within this time; the toast is gone a little later. */
const [lookEveryMs, mostLooks] = [700, 7]

const newest = new WeakMap<QueryClient, Ask['id']>()

export type AnsweredToast = { key: string; title: string; body: string }

/** Shows that an ask was answered. The toast offers an undo once there is something to undo. */
export function useUndoOffer(): (after: Ask, toast: AnsweredToast, changesFiles: boolean) => void {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const undo = useUndo()
  return (after, toast, changesFiles) => {
    // A newer answer has taken the place of this toast.
    const isNewest = () => newest.get(queries) === after.id
    const look = async (left: number): Promise<void> => {
      const query = { ...undoStateQuery(client, after.id), staleTime: 0 }
      const state = isNewest() ? await queries.fetchQuery(query).catch(() => 'nothing' as const) : 'refused'
      if (!isNewest() || state === 'refused') return
      if (state === 'ready') say({ ...toast, action: { label: 'Undo', run: () => undo.mutate(after) } })
      else if (left > 0) setTimeout(() => void look(left - 1), lookEveryMs)
    }
    newest.set(queries, after.id)
    say(toast)
    if (changesFiles) setTimeout(() => void look(mostLooks), lookEveryMs)
  }
}
