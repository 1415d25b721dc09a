import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useSay, useSayFailed } from '../ui/toasts.tsx'
import type { Key } from './freshness.ts'

type Act<I, O> = {
  /** What to say when it could not be done: "The token was not revoked". */
  failed: string | ((input: I, error: unknown) => string)
  done?: string | ((input: I) => string)
  /** What it changes that no event tells of. */
  stale?: readonly Key[]
  /** It is under way until that was read anew. */
  untilRead?: boolean
  /** Shows at once what will be; gives how to take that back. */
  foresee?: (input: I) => () => void
  whenDone?: (output: O, input: I) => void
}

/** Does one thing on the server, and says what came of it. */
export function useAct<I, O>(act: (input: I) => Promise<O>, words: Act<I, O>) {
  const { failed, done, stale = [], untilRead = false, foresee, whenDone } = words
  const say = useSay()
  const sayFailed = useSayFailed()
  const queries = useQueryClient()
  const readAnew = () => Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  return useMutation({
    mutationFn: act,
    onMutate: (input) => ({ takeBack: foresee?.(input) }),
    onError(error, input, kept) {
      kept?.takeBack?.()
      void readAnew()
      sayFailed(error, typeof failed === 'string' ? failed : failed(input, error))
    },
    onSuccess(output, input) {
      whenDone?.(output, input)
      // One takes the place of the other: what was done before it is no news any more.
      if (done !== undefined) say({ key: 'done', title: typeof done === 'string' ? done : done(input) })
      const read = readAnew()
      return untilRead ? read : undefined
    },
  })
}
