import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { meQuery, namesQuery } from '../../api/queries.ts'
import { answererName } from './outcome-text.ts'

/** Display names of people, rules and parts of Signalbox: `user:<id>` is a name, or `you`. */
export function useActorName(): (by: string | null) => string | null {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const { data: names } = useQuery(namesQuery(client))
  return (by) =>
    answererName(by, (id) => {
      if (id === me?.user.id) return 'you'
      // Until names are loaded, no one is shown as a former user.
      return names ? (names.people.find((person) => person.id === id)?.displayName ?? null) : '…'
    })
}

export const useMe = () => useQuery(meQuery(useClient())).data?.user ?? null
