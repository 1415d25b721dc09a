import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useToast, useFailureToast } from '../ui/toasts.tsx'
import type { CacheKey } from './freshness.ts'

type UserAction<I, O> = {
  /** Message if it fails: "The token was not revoked". Null if the view itself shows the error. */
  failed: string | null | ((input: I, error: unknown) => string)
  done?: string | ((input: I, output: O) => string)
  /** Queries it changes that no event covers. */
  stale?: readonly CacheKey[]
  /** Pending until those queries were read again. */
  untilRead?: boolean
  /** Shows the result optimistically; returns a function that reverts it. */
  foresee?: (input: I) => () => void
  whenDone?: (output: O, input: I) => void
}

/** Runs one action on the server and reports the result. */
export function useAction<I, O>(act: (input: I) => Promise<O>, words: UserAction<I, O>) {
  const { failed, done, stale = [], untilRead = false, foresee, whenDone } = words
  const say = useToast()
  const sayFailed = useFailureToast()
  const queries = useQueryClient()
  const readAnew = () => Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  return useMutation({
    mutationFn: act,
    onMutate: (input) => ({ takeBack: foresee?.(input) }),
    onError(error, input, kept) {
      kept?.takeBack?.()
      void readAnew()
      if (failed !== null) sayFailed(error, typeof failed === 'string' ? failed : failed(input, error))
    },
    onSuccess(output, input) {
      whenDone?.(output, input)
      // A new toast replaces the previous one of this action.
      if (done !== undefined) say({ key: 'done', title: typeof done === 'string' ? done : done(input, output) })
      const read = readAnew()
      return untilRead ? read : undefined
    },
  })
}
