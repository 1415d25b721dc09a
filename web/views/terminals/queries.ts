import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Client } from '../../api/transport.ts'
import { useBackend, useClient } from '../../api/backend.tsx'
import { meQuery, sessionQuery } from '../../api/queries.ts'
import type { Detection, TerminalView } from '../../terminal/terminal-text.ts'

export type TerminalFilter = 'active' | 'stopped' | 'all'

const perPage = 100

export const terminalsQuery = (client: Client, shown: TerminalFilter) =>
  infiniteQueryOptions({
    queryKey: ['terminals', shown],
    queryFn: ({ pageParam }) =>
      client.listTerminals({
        query: {
          limit: perPage,
          ...(shown !== 'all' && { state: shown }),
          ...(pageParam !== null && { before: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // Nothing was heard while the page was hidden.
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  })

export const terminalQuery = (client: Client, id: string) =>
  queryOptions({
    queryKey: ['terminal', id],
    queryFn: () => client.getTerminal({ params: { id } }),
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  })

export const historyQuery = (client: Client, id: string) =>
  queryOptions({
    queryKey: ['history', id],
    queryFn: () => client.sessionInputs({ params: { id }, query: { limit: 100 } }),
  })

export const patternsQuery = (client: Client, program: string) =>
  queryOptions({
    queryKey: ['patterns', 'of', program],
    queryFn: () => client.listPatterns({ query: { program, limit: 50 } }),
  })

/** A terminal, updated live. */
export function useTerminal(id: string) {
  const { client, queries, feed } = useBackend()
  const query = useQuery(terminalQuery(client, id))
  useEffect(() => {
    const { queryKey } = terminalQuery(client, id)
    return feed.listen(id, ({ type, data }) => {
      if (type !== 'terminal.state' && type !== 'stream.open') return
      if (type === 'terminal.state')
        queries.setQueryData(queryKey, (before) => before && { ...before, detection: data as Detection })
      // A running read may be older than this, so it is restarted.
      void queries.invalidateQueries({ queryKey })
    })
  }, [client, queries, feed, id])
  return query
}

/** Typing into a program of the server's user needs the machine right as well. */
export function useCanType(terminal: TerminalView): boolean | null {
  const client = useClient()
  const mayAct = useCanAct(terminal)
  const { data: me } = useQuery(meQuery(client))
  const { data: session } = useQuery(sessionQuery(client, terminal.sessionId))
  if (mayAct !== true || me?.may.machine === true) return mayAct
  return session ? session.isolation === 'sandbox' || session.isolation === 'container' : null
}

/** Only the owner and delegates can end it. Null while unknown. */
export function useCanAct({ sessionId, ownerUserId }: TerminalView): boolean | null {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const { data: session } = useQuery(sessionQuery(client, sessionId))
  if (!me) return null
  if (me.as !== 'person' || me.scope !== 'full') return false
  return me.user.id === ownerUserId || (session?.delegates.includes(me.user.id) ?? null)
}
