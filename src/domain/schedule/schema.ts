import * as z from 'zod'
import { idOf } from '../../lib/id.ts'
import { QueueItemId } from '../queue/schema.ts'
import { SessionId, type Isolation } from '../session/schema.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { RepoId } from '../workspace/id.ts'

export const ScheduleId = idOf('ScheduleId')
export type ScheduleId = z.infer<typeof ScheduleId>
export const RunId = idOf('ScheduleRunId')
export type RunId = z.infer<typeof RunId>

/** When a schedule is due. */
export const Timing = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('cron'), cron: z.string(), timeZone: z.string() }),
  z.object({ kind: z.literal('every'), seconds: z.int(), from: z.iso.datetime() }),
  z.object({ kind: z.literal('at'), at: z.iso.datetime() }),
])
export type Timing = z.infer<typeof Timing>

const timingFields = {
  cron: z.string().max(200).optional().meta({ description: 'minute hour day month weekday: 0 9 * * 1-5' }),
  every: z.string().max(20).optional().meta({ description: '90s, 15m, 2h, 1d or 1w; at least 1 minute' }),
  at: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'Once, at this time: ISO 8601, with an offset or a time zone.' }),
  timeZone: z.string().max(100).optional().meta({ description: 'For example Europe/Berlin. Default: UTC.' }),
}
export const WantedTiming = z.object(timingFields)
export type WantedTiming = z.infer<typeof WantedTiming>

/** What happens to due times that passed while no server ran. */
const Missed = z.enum(['skip', 'once', 'all'])
/** What happens when it is due and its last run has not ended. */
const Overlap = z.enum(['skip', 'queue'])
export const SessionChoice = z.enum(['fresh', 'same'])

export const scheduleStatuses = ['active', 'paused', 'done', 'cancelled'] as const
export const runStatuses = ['pending', 'running', 'completed', 'failed', 'skipped'] as const
export type RunStatus = (typeof runStatuses)[number]
const Trigger = z.enum(['due', 'missed', 'manual'])
export type Trigger = z.infer<typeof Trigger>

/** A run record of a schedule. */
export const ScheduleRun = z
  .object({
    id: RunId,
    scheduleId: ScheduleId,
    dueAt: z.iso.datetime(),
    trigger: Trigger,
    status: z.enum(runStatuses),
    reason: z.string().nullable().meta({ description: 'Why it was skipped or failed.' }),
    missed: z.int().meta({ description: 'How many due times had passed when it was recorded.' }),
    sessionId: SessionId.nullable(),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
    costUsd: z.number().nullable().meta({ description: 'As the agent reports it.' }),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'ScheduleRun' })
export type ScheduleRun = z.infer<typeof ScheduleRun>

export const Schedule = z
  .object({
    id: ScheduleId,
    ownerUserId: UserId.meta({ description: 'Its creator: every run is a session of this person (R2).' }),
    name: z.string(),
    prompt: z.string(),
    timing: Timing,
    session: SessionChoice.meta({ description: 'fresh: a new session each time. same: a prompt to one session.' }),
    sessionId: SessionId.nullable().meta({ description: 'For same: the session that gets the prompt.' }),
    agentGroupId: AgentGroupId.nullable(),
    repoId: RepoId.nullable(),
    workspaceRoot: z.string().nullable(),
    agent: z.string().nullable(),
    precheck: z.string().nullable().meta({ description: 'A script that runs first and can skip the run.' }),
    missed: Missed,
    overlap: Overlap,
    jitterSeconds: z.int(),
    status: z.enum(scheduleStatuses),
    nextAt: z.iso.datetime().nullable().meta({ description: 'The next due time, without jitter.' }),
    madeBy: SessionId.nullable().meta({ description: 'The session whose agent made it.' }),
    failuresInARow: z.int(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    lastRun: ScheduleRun.nullable(),
  })
  .meta({ id: 'Schedule' })
export type Schedule = z.infer<typeof Schedule>

const contents = {
  name: z.string().trim().min(1).max(200),
  prompt: z.string().min(1).max(100_000),
  precheck: z.string().min(1).max(20_000).nullable(),
  missed: Missed,
  overlap: Overlap,
  jitterSeconds: z.int().min(0).max(3600),
}

export const newSchedule = {
  name: contents.name.optional().meta({ description: 'Default: the beginning of the prompt.' }),
  prompt: contents.prompt,
  ...timingFields,
  session: SessionChoice.default('fresh'),
  sessionId: SessionId.nullable().default(null),
  agentGroupId: AgentGroupId.nullable().default(null),
  repoId: RepoId.nullable().default(null),
  workspaceRoot: z.string().max(4096).startsWith('/', 'must be an absolute path').nullable().default(null),
  agent: z.string().max(200).nullable().default(null),
  precheck: contents.precheck.default(null),
  missed: Missed.optional().meta({ description: 'Default: skip; for a single time, once.' }),
  overlap: contents.overlap.default('skip'),
  jitterSeconds: contents.jitterSeconds.default(0),
}

export const changedSchedule = () => z.object({ ...contents, ...timingFields }).partial().shape

export const ScheduleCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('schedule.create'), id: ScheduleId, ...newSchedule }),
  z.object({ type: z.literal('schedule.update'), id: ScheduleId, ...changedSchedule() }),
  z.object({ type: z.literal('schedule.pause'), id: ScheduleId }),
  z.object({ type: z.literal('schedule.resume'), id: ScheduleId }),
  z.object({ type: z.literal('schedule.cancel'), id: ScheduleId }),
  z.object({ type: z.literal('schedule.run_now'), id: ScheduleId, runId: RunId }),
  /** By the clock. */
  z.object({ type: z.literal('schedule.fall_due'), id: ScheduleId }),
  /** What became of a run. */
  z.object({
    type: z.literal('schedule.start_run'),
    id: ScheduleId,
    runId: RunId,
    sessionId: SessionId,
    /** The prompt in the queue of a session that was there before. */
    itemId: QueueItemId.nullable().default(null),
    costBefore: z.number().nullable().default(null),
  }),
  z.object({ type: z.literal('schedule.skip_run'), id: ScheduleId, runId: RunId, reason: z.string().max(2000) }),
  z.object({
    type: z.literal('schedule.end_run'),
    id: ScheduleId,
    runId: RunId,
    outcome: z.enum(['completed', 'failed']),
    reason: z.string().max(2000).nullable().default(null),
    costUsd: z.number().nullable().default(null),
  }),
])
export type ScheduleCommand = z.infer<typeof ScheduleCommand>

const ref = { id: ScheduleId, ownerUserId: UserId }
const run = { ...ref, runId: RunId }
const due = { nextAt: z.string().nullable(), fireAt: z.string().nullable() }

/** Events about schedules. */
export const scheduleEvents = {
  'schedule.created': () => z.object({ ...ref, ...due }),
  'schedule.updated': () => z.object({ ...ref, ...due, fields: z.array(z.string()) }),
  'schedule.paused': () => z.object(ref),
  'schedule.resumed': () => z.object({ ...ref, ...due }),
  'schedule.cancelled': () => z.object(ref),
  /** Its time came, and it waits for the next; null if that was the last. */
  'schedule.came_due': () => z.object({ ...ref, ...due }),
  'schedule.run_queued': () => z.object({ ...run, dueAt: z.string(), trigger: Trigger, missed: z.int() }),
  'schedule.run_started': () => z.object({ ...run, sessionId: SessionId }),
  'schedule.run_skipped': () =>
    z.object({
      ...run,
      dueAt: z.string(),
      trigger: Trigger,
      missed: z.int(),
      reason: z.string(),
    }),
  'schedule.run_ended': () =>
    z.object({
      ...run,
      outcome: z.enum(['completed', 'failed']),
      reason: z.string().nullable(),
      sessionId: SessionId.nullable(),
      costUsd: z.number().nullable(),
      failuresInARow: z.int(),
    }),
}
type Data = DataOf<typeof scheduleEvents>

/** Fixed when it is made. */
export type ScheduleBasis = Omit<
  Schedule,
  'id' | 'ownerUserId' | 'nextAt' | 'status' | 'failuresInARow' | 'createdAt' | 'updatedAt' | 'lastRun'
> & { readonly isolation: Isolation | null }

export type ScheduleChange =
  | { type: 'schedule.created'; data: Data['schedule.created']; body: ScheduleBasis }
  | {
      type: 'schedule.updated'
      data: Data['schedule.updated']
      body: Partial<Pick<Schedule, 'name' | 'prompt' | 'timing' | 'precheck' | 'missed' | 'overlap' | 'jitterSeconds'>>
      /** An ended one is active again. */
      status: Schedule['status']
    }
  | { type: 'schedule.paused'; data: Data['schedule.paused'] }
  | { type: 'schedule.resumed'; data: Data['schedule.resumed'] }
  | { type: 'schedule.cancelled'; data: Data['schedule.cancelled'] }
  | { type: 'schedule.came_due'; data: Data['schedule.came_due'] }
  | { type: 'schedule.run_queued'; data: Data['schedule.run_queued'] }
  | {
      type: 'schedule.run_started'
      data: Data['schedule.run_started']
      body: { itemId: QueueItemId | null; costBefore: number | null }
    }
  | { type: 'schedule.run_skipped'; data: Data['schedule.run_skipped'] }
  | { type: 'schedule.run_ended'; data: Data['schedule.run_ended'] }
