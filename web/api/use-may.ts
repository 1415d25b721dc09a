import { useQuery } from '@tanstack/react-query'
import { useClient } from './backend.tsx'
import { meQuery } from './queries.ts'

const nothing = { machine: false, administer: false, grant: false }

/** What whoever looks may do: nobody is offered what they would be refused. */
export const useMay = () => useQuery(meQuery(useClient())).data?.may ?? nothing
