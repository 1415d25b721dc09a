import * as z from 'zod'
import { AgentGroupId } from '../../domain/user/id.ts'
import { changedSchedule, newSchedule, Schedule, ScheduleId, ScheduleRun } from '../../domain/schedule/schema.ts'
import { endpoint } from '../endpoint.ts'
import { PageCursor, limit } from './parts.ts'

const ById = z.object({ id: ScheduleId })
const tag = 'schedules'

export const ScheduleDetail = Schedule.extend({
  upcoming: z.array(z.iso.datetime()).meta({ description: 'The next due times, without jitter.' }),
}).meta({ id: 'ScheduleDetail' })
export type ScheduleDetail = z.infer<typeof ScheduleDetail>

export const scheduleEndpoints = {
  listSchedules: endpoint({
    method: 'GET',
    path: '/api/schedules',
    tag,
    summary: 'Your schedules and those of your agent groups, the next due first',
    status: 200,
    query: () =>
      z.strictObject({
        limit: limit(1000, 200),
        before: PageCursor.optional(),
        agentGroupId: AgentGroupId.optional(),
      }),
    response: () => z.object({ schedules: z.array(Schedule), next: PageCursor.nullable() }),
  }),
  createSchedule: endpoint({
    method: 'POST',
    path: '/api/schedules',
    tag,
    summary: 'Create a schedule: a prompt that runs as you, once or again and again',
    status: 201,
    body: () => z.strictObject(newSchedule),
    response: Schedule,
  }),
  getSchedule: endpoint({
    method: 'GET',
    path: '/api/schedules/{id}',
    tag,
    summary: 'A schedule with its next due times',
    status: 200,
    params: ById,
    response: ScheduleDetail,
  }),
  updateSchedule: endpoint({
    method: 'PATCH',
    path: '/api/schedules/{id}',
    tag,
    summary: 'Change the time, prompt or policies of a schedule',
    status: 200,
    params: ById,
    body: () => z.strictObject(changedSchedule()),
    response: Schedule,
  }),
  removeSchedule: endpoint({
    method: 'DELETE',
    path: '/api/schedules/{id}',
    tag,
    summary: 'Cancel a schedule; a run in progress continues, and its records stay',
    status: 200,
    params: ById,
    response: () => z.object({ id: ScheduleId, removed: z.literal(true) }),
  }),
  pauseSchedule: endpoint({
    method: 'POST',
    path: '/api/schedules/{id}/pause',
    tag,
    summary: 'Pause a schedule',
    status: 200,
    params: ById,
    response: Schedule,
  }),
  resumeSchedule: endpoint({
    method: 'POST',
    path: '/api/schedules/{id}/resume',
    tag,
    summary: 'Resume a schedule; what was due meanwhile runs only if its missed-run policy says so',
    status: 200,
    params: ById,
    response: Schedule,
  }),
  runSchedule: endpoint({
    method: 'POST',
    path: '/api/schedules/{id}/run',
    tag,
    summary: 'Run a schedule now; its due times stay',
    status: 201,
    params: ById,
    response: ScheduleRun,
  }),
  listScheduleRuns: endpoint({
    method: 'GET',
    path: '/api/schedules/{id}/runs',
    tag,
    summary: 'Run records of a schedule, newest first',
    status: 200,
    params: ById,
    query: () => z.strictObject({ limit: limit(500, 50), before: PageCursor.optional() }),
    response: () => z.object({ runs: z.array(ScheduleRun), next: PageCursor.nullable() }),
  }),
}
