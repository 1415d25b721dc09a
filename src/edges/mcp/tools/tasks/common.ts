import * as z from 'zod'
import type { Schedule, ScheduleId, ScheduleRun, Timing } from '../../../../domain/schedule/schema.ts'
import { fail, notFound, type Failed } from '../../../../lib/result.ts'
import type { ToolCall } from '../../calls/tool-call.ts'
import { standingOf } from '../../link.ts'
import { reply, type ToolResult } from '../tool.ts'

export const taskId = z.uuid().toLowerCase().describe('The task_id from schedule_task or list_tasks.')

export const timing = {
  at: z.string().max(40).optional().describe('Once, at this time: ISO 8601, such as 2030-01-31T09:00.'),
  every: z.string().max(20).optional().describe('An interval: 90s, 15m, 2h, 1d or 1w; at least 1 minute.'),
  cron: z.string().max(200).optional().describe('5 fields: minute hour day month weekday.'),
  time_zone: z.string().max(100).optional().describe('For cron and at, such as Europe/Berlin. Default: UTC.'),
}

export const policies = {
  precheck: z
    .string()
    .min(1)
    .max(20_000)
    .optional()
    .describe(
      'A shell script that runs first, in your sandbox. An exit code other than 0, or {"wake": false} as its last line, skips the run.',
    ),
  missed: z
    .enum(['skip', 'once', 'all'])
    .optional()
    .describe('For due times while no server was running. Default: skip; for at, once.'),
  overlap: z.enum(['skip', 'queue']).optional().describe('If the last run has not ended. Default: skip.'),
}

const Run = z.object({
  run_id: z.string(),
  due_at: z.string(),
  trigger: z.enum(['due', 'missed', 'manual']),
  status: z.enum(['pending', 'running', 'completed', 'failed', 'skipped']),
  reason: z.string().nullable(),
  session_id: z.string().nullable(),
  started_at: z.string().nullable(),
  ended_at: z.string().nullable(),
  cost_usd: z.number().nullable(),
})

export const Task = z.object({
  task_id: z.string(),
  name: z.string(),
  prompt: z.string(),
  schedule: z.string(),
  time_zone: z.string().nullable(),
  session: z.enum(['fresh', 'same']),
  precheck: z.string().nullable(),
  missed: z.enum(['skip', 'once', 'all']),
  overlap: z.enum(['skip', 'queue']),
  status: z.enum(['active', 'paused', 'done', 'cancelled']),
  next_at: z.string().nullable(),
  runs: z.array(Run).describe('The last runs, newest first.'),
})

const shownRuns = 5

const shownRun = (run: ScheduleRun) => ({
  run_id: run.id,
  due_at: run.dueAt,
  trigger: run.trigger,
  status: run.status,
  reason: run.reason,
  session_id: run.sessionId,
  started_at: run.startedAt,
  ended_at: run.endedAt,
  cost_usd: run.costUsd,
})

const when = (one: Timing): string => {
  if (one.kind === 'cron') return `cron ${one.cron}`
  return one.kind === 'every' ? `every ${one.seconds} seconds` : `at ${one.at}`
}

export const shownTask = (task: Schedule, runs: readonly ScheduleRun[]) => ({
  task_id: task.id,
  name: task.name,
  prompt: task.prompt,
  schedule: when(task.timing),
  time_zone: task.timing.kind === 'cron' ? task.timing.timeZone : null,
  session: task.session,
  precheck: task.precheck,
  missed: task.missed,
  overlap: task.overlap,
  status: task.status,
  next_at: task.nextAt,
  runs: runs.map(shownRun),
})

/** The task with its last runs. */
export async function replyTask({ app, link }: ToolCall, id: ScheduleId): Promise<ToolResult> {
  const who = standingOf(link)
  const found = await app.read.schedule(who, id)
  if (!found.ok) return asTask(found)
  const runs = await app.read.scheduleRuns(who, id, { limit: shownRuns, offset: 0 })
  return reply(shownTask(found.value, runs.ok ? runs.value : []))
}

/** Agents know schedules as tasks. */
export const asTask = (failed: Failed): Failed => {
  const { fault } = failed
  if (fault.code !== 'schedule_not_found') return failed
  return fail({ ...notFound('task', fault.message.replace(/^.*: |\.$/g, '')).fault, hint: 'list_tasks lists yours.' })
}
