import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useBackend, useClient } from '../../api/backend.tsx'
import { meQuery, sessionQuery } from '../../api/queries.ts'
import type { Detection, TerminalView } from '../../terminal/words.ts'
import { terminalQuery } from './queries.ts'

/** A terminal as it is: what it waits for comes as it changes. */
export function useTerminal(id: string) {
  const { client, queries, feed } = useBackend()
  const query = useQuery(terminalQuery(client, id))
  useEffect(() => {
    const { queryKey } = terminalQuery(client, id)
    return feed.listen(id, ({ type, data }) => {
      if (type !== 'terminal.state' && type !== 'stream.open') return
      if (type === 'terminal.state')
        queries.setQueryData(queryKey, (before) => before && { ...before, detection: data as Detection })
      // A reading that was under way may be older than this: it begins anew.
      void queries.invalidateQueries({ queryKey })
    })
  }, [client, queries, feed, id])
  return query
}

/** Typing into a program of the server's user needs the machine right as well. */
export function useMayType(terminal: TerminalView): boolean | null {
  const client = useClient()
  const mayAct = useMayAct(terminal)
  const { data: me } = useQuery(meQuery(client))
  const { data: session } = useQuery(sessionQuery(client, terminal.sessionId))
  if (mayAct !== true || me?.may.machine === true) return mayAct
  return session ? session.isolation === 'sandbox' : null
}

/** Its owner and their delegates hang it up; others look. Null while that is not known. */
export function useMayAct({ sessionId, ownerUserId }: TerminalView): boolean | null {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const { data: session } = useQuery(sessionQuery(client, sessionId))
  if (!me) return null
  if (me.as !== 'person' || me.scope !== 'full') return false
  return me.user.id === ownerUserId || (session?.delegates.includes(me.user.id) ?? null)
}
