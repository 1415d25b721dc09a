import { useQuery, useQueryClient } from '@tanstack/react-query'

/** State that outlives the view: another item is a new view, and the list should not change. */
export function useKeptState<T>(name: string, initial: T): [T, (next: T) => void] {
  const queries = useQueryClient()
  const queryKey = ['kept', name]
  const { data } = useQuery<T>({ queryKey, queryFn: () => initial, enabled: false })
  return [data ?? initial, (next) => queries.setQueryData(queryKey, () => next)]
}
