import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { meQuery, namesQuery } from '../../api/queries.ts'
import { whoWords } from './outcome-words.ts'

/** How people, rules and parts of Signalbox are called: `user:<id>` is a name, or `you`. */
export function useWho(): (by: string | null) => string | null {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const { data: names } = useQuery(namesQuery(client))
  return (by) =>
    whoWords(by, (id) => {
      if (id === me?.user.id) return 'you'
      // Until the names have come, nobody is said to have left.
      return names ? (names.people.find((person) => person.id === id)?.displayName ?? null) : '…'
    })
}

export const useMe = () => useQuery(meQuery(useClient())).data?.user ?? null
