import { useQuery } from '@tanstack/react-query'
import { useClient } from './backend.tsx'
import { meQuery } from './queries.ts'

const nothing = { machine: false, administer: false, grant: false }

/** What this person may do. Actions that would be refused are not offered. */
export const usePermissions = () => useQuery(meQuery(useClient())).data?.may ?? nothing
