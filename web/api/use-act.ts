import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useSay, useSayFailed } from '../ui/toasts.tsx'
import type { Key } from './freshness.ts'

type Words = {
  /** What to say when it could not be done: "The token was not revoked". */
  failed: string
  done?: string
  /** What it changes that no event tells of. */
  stale?: readonly Key[]
}

/** Does one thing on the server, and says what came of it. */
export function useAct<I, O>(act: (input: I) => Promise<O>, { failed, done, stale = [] }: Words) {
  const say = useSay()
  const sayFailed = useSayFailed()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onError: (error) => sayFailed(error, failed),
    onSuccess() {
      if (done !== undefined) say({ title: done })
      for (const queryKey of stale) void queries.invalidateQueries({ queryKey })
    },
  })
}
