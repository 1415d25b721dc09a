import { queryOptions } from '@tanstack/react-query'
import type { AgentGroupId } from '../../../src/domain/agent-group/schema.ts'
import type { ScheduleId } from '../../../src/domain/schedule/schema.ts'
import type { Client } from '../../api/transport.ts'

/** Keys start with `schedules`, so that their events make them stale. */
export const schedulesQuery = (client: Client) =>
  queryOptions({
    queryKey: ['schedules'],
    queryFn: async () => (await client.listSchedules({ query: { limit: 1000 } })).schedules,
  })

export const groupSchedulesQuery = (client: Client, agentGroupId: AgentGroupId) =>
  queryOptions({
    queryKey: ['schedules', 'group', agentGroupId],
    queryFn: async () => (await client.listSchedules({ query: { agentGroupId, limit: 100 } })).schedules,
  })

export const scheduleQuery = (client: Client, id: ScheduleId) =>
  queryOptions({ queryKey: ['schedules', id], queryFn: () => client.getSchedule({ params: { id } }) })

export const runsQuery = (client: Client, id: ScheduleId) =>
  queryOptions({
    queryKey: ['schedules', id, 'runs'],
    queryFn: async () => (await client.listScheduleRuns({ params: { id }, query: { limit: 50 } })).runs,
  })
