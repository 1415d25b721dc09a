import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { askQuery } from '../../api/queries.ts'
import { keepFocus } from '../../app/keep-focus.ts'
import { clip, safeText } from '../../ui/safe-text.ts'
import { useFailureToast, useToast } from '../../ui/toasts.tsx'

/** Takes an approval back that is not used yet. */
export function useRetract() {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const sayFailed = useFailureToast()
  return useMutation({
    mutationKey: ['retract'],
    mutationFn: (ask: Ask) => client.retractAsk({ params: { id: ask.id }, body: {} }),
    onSuccess(ask) {
      keepFocus()
      queries.setQueryData(askQuery(client, ask.id).queryKey, ask)
      void queries.invalidateQueries({ queryKey: ['answers'] })
      say({
        key: 'answered',
        title: `Retracted: ${clip(safeText(ask.title), 80)}`,
        body: 'The agent is told that it was rejected.',
      })
    },
    onError(error, ask) {
      void queries.invalidateQueries({ queryKey: ['ask', ask.id] })
      sayFailed(error, `Not retracted: ${clip(safeText(ask.title), 80)}`)
    },
  })
}
