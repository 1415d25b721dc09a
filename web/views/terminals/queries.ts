import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../../api/transport.ts'

export type TerminalFilter = 'active' | 'stopped' | 'all'

export const terminalsQuery = (client: Client, shown: TerminalFilter) =>
  queryOptions({
    queryKey: ['terminals', shown],
    queryFn: () => client.listTerminals({ query: shown === 'all' ? {} : { state: shown } }),
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
