import { useQuery, useQueryClient } from '@tanstack/react-query'

/** State that outlives the view: going from one item to another is a new view, and the list should stay as it was. */
export function useKept<T>(name: string, initial: T): [T, (next: T) => void] {
  const queries = useQueryClient()
  const queryKey = ['kept', name]
  const { data } = useQuery<T>({ queryKey, queryFn: () => initial, enabled: false })
  return [data ?? initial, (next) => queries.setQueryData(queryKey, () => next)]
}
