import { iso } from '../../lib/clock.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { Session } from '../session/schema.ts'
import type { UserId } from '../user/id.ts'
import type {
  RunId,
  Schedule,
  ScheduleChange,
  ScheduleCommand,
  ScheduleId,
  ScheduleRun,
  Timing,
  Trigger,
} from './schema.ts'
import { duesBetween, nextAfter, readTiming } from './timing.ts'

/** The session of an agent that makes a schedule: what it makes can't reach further than that. */
export type Maker = Pick<
  Session,
  'id' | 'agentGroupId' | 'repoId' | 'workspaceRoot' | 'agent' | 'isolation' | 'protocolMode'
>

export type ScheduleState = Omit<Schedule, 'lastRun'>
export type RunState = Pick<
  ScheduleRun,
  'id' | 'scheduleId' | 'status' | 'dueAt' | 'trigger' | 'missed' | 'sessionId'
> & { readonly costBefore: number | null }

export type ScheduleFacts = {
  readonly now: number
  /** Whose it becomes. */
  readonly owner: UserId | null
  readonly maker: Maker | null
  /** What the new schedule names, and does not exist. */
  readonly unknown: { readonly what: string; readonly id: string } | null
  /** How many its owner has that are not over. */
  readonly held: number
  /** Runs that wait or have not ended. */
  readonly open: readonly Pick<ScheduleRun, 'id' | 'status' | 'dueAt' | 'trigger' | 'missed'>[]
  readonly run: RunState | undefined
}

/** A due time that is noticed later than this was missed: no server was running. */
const missedAfterMs = 60_000
const mostMissed = 100
const mostQueued = 100
/** An agent must not fill the table. */
const mostHeld = 20_000
const mostOfAgents = 100

const ofSystem: ReadonlySet<ScheduleCommand['type']> = new Set([
  'schedule.fall_due',
  'schedule.start_run',
  'schedule.skip_run',
  'schedule.end_run',
])

export function decideSchedule(
  schedule: ScheduleState | undefined,
  command: ScheduleCommand,
  facts: ScheduleFacts,
): Result<ScheduleChange[]> {
  const { id } = command
  if (command.type === 'schedule.create') return create(schedule, command, facts)
  if (!schedule) return notFound('schedule', id)
  // Its last run may not have ended.
  if (schedule.status === 'cancelled' && !ofSystem.has(command.type)) return notFound('schedule', id)
  const ref = { id, ownerUserId: schedule.ownerUserId }
  switch (command.type) {
    case 'schedule.update':
      return update(schedule, command, facts)
    case 'schedule.pause':
      if (schedule.status === 'paused') return ok([])
      return schedule.status === 'done' ? isOver() : ok([{ type: 'schedule.paused', data: ref }])
    case 'schedule.resume': {
      if (schedule.status !== 'paused') return schedule.status === 'done' ? isOver() : ok([])
      // What was due meanwhile was missed, however short the pause was.
      const { runs, due } = dueChanges({ ...schedule, status: 'active' }, facts, 0)
      return ok([{ type: 'schedule.resumed', data: { ...ref, ...due } }, ...runs])
    }
    case 'schedule.cancel':
      return ok([
        ...facts.open
          .filter(({ status }) => status === 'pending')
          .map((run) => skipped(schedule, run, 'The schedule was cancelled.')),
        { type: 'schedule.cancelled', data: ref },
      ])
    case 'schedule.run_now': {
      if (facts.run) return ok([])
      if (facts.open.length > 0 && schedule.overlap === 'skip') return fail(goesOn)
      const dueAt = iso(facts.now)
      return ok([
        { type: 'schedule.run_queued', data: { ...ref, runId: command.runId, dueAt, trigger: 'manual', missed: 0 } },
      ])
    }
    case 'schedule.fall_due': {
      if (schedule.status !== 'active' || schedule.nextAt === null) return ok([])
      if (facts.now < fireTime(schedule, Date.parse(schedule.nextAt))) return ok([])
      const { runs, due } = dueChanges(schedule, facts, missedAfterMs)
      return ok([{ type: 'schedule.came_due', data: { ...ref, ...due } }, ...runs])
    }
    default:
      return ofRun(schedule, command, facts)
  }
}

function ofRun(
  schedule: ScheduleState,
  command: Extract<ScheduleCommand, { runId: RunId }>,
  { run }: ScheduleFacts,
): Result<ScheduleChange[]> {
  const { id, runId } = command
  const ref = { id, ownerUserId: schedule.ownerUserId, runId }
  if (!run || run.scheduleId !== id) return notFound('run', runId)
  switch (command.type) {
    case 'schedule.start_run': {
      if (run.status !== 'pending') return ok([])
      const { sessionId, itemId, costBefore } = command
      return ok([{ type: 'schedule.run_started', data: { ...ref, sessionId }, body: { itemId, costBefore } }])
    }
    case 'schedule.skip_run':
      return run.status === 'pending' ? ok([skipped(schedule, run, command.reason)]) : ok([])
    case 'schedule.end_run': {
      if (run.status !== 'pending' && run.status !== 'running') return ok([])
      const { outcome, reason, costUsd: total } = command
      const costUsd = total === null ? null : Math.max(0, total - (run.costBefore ?? 0))
      const failuresInARow = outcome === 'failed' ? schedule.failuresInARow + 1 : 0
      const data = { ...ref, outcome, reason, sessionId: run.sessionId, costUsd, failuresInARow }
      return ok([{ type: 'schedule.run_ended', data }])
    }
    default:
      return ok([])
  }
}

function create(
  schedule: ScheduleState | undefined,
  command: Extract<ScheduleCommand, { type: 'schedule.create' }>,
  facts: ScheduleFacts,
): Result<ScheduleChange[]> {
  const { id, prompt, session, precheck, overlap, jitterSeconds } = command
  const { now, owner, maker, unknown } = facts
  if (schedule) return fail({ kind: 'conflict', code: 'schedule_exists', message: `Schedule ${id} exists already.` })
  if (owner === null) return fail({ kind: 'forbidden', code: 'not_authorised', message: 'A schedule needs an owner.' })
  if (unknown) return notFound(unknown.what, unknown.id)
  const most = maker ? mostOfAgents : mostHeld
  if (facts.held >= most) return tooMany(most)
  const timing = readTiming(command, now)
  if (!timing.ok) return timing
  const target = targetOf(command, maker)
  if (!target.ok) return target
  const nextAt = nextAfter(timing.value, now)
  const missed = command.missed ?? (timing.value.kind === 'at' ? 'once' : 'skip')
  const name = command.name ?? firstWords(prompt)
  const body = {
    ...target.value,
    name,
    prompt,
    session,
    precheck,
    missed,
    overlap,
    jitterSeconds,
    timing: timing.value,
    madeBy: maker?.id ?? null,
  }
  const data = { id, ownerUserId: owner, ...dueOf({ id, jitterSeconds }, nextAt) }
  return ok([{ type: 'schedule.created', data, body }])
}

type Target = Pick<ScheduleState, 'sessionId' | 'agentGroupId' | 'repoId' | 'workspaceRoot' | 'agent'> & {
  isolation: Maker['isolation']
}

/** Where it runs: as its creator says; for an agent, where the agent itself is. */
function targetOf(command: Extract<ScheduleCommand, { type: 'schedule.create' }>, maker: Maker | null): Result<Target> {
  const { session, sessionId, agentGroupId, repoId, workspaceRoot, agent } = command
  if (maker) {
    if (session === 'fresh' && maker.protocolMode !== 'acp') return fail(onlySame)
    if (command.precheck !== null && maker.isolation !== 'sandbox') return fail(noPrecheck)
    const { agentGroupId: group, repoId: repo, workspaceRoot: root, agent: name, isolation } = maker
    const own = { agentGroupId: group, repoId: repo, workspaceRoot: root, agent: name, isolation }
    return ok({ ...own, sessionId: session === 'same' ? maker.id : null })
  }
  if (session === 'same' && sessionId === null)
    return invalid('A schedule for the same session needs that session.', 'Send sessionId.')
  if (session === 'fresh' && sessionId !== null)
    return invalid('A schedule with a fresh session has no sessionId.', 'Use session same, or leave sessionId out.')
  const places = [agentGroupId, repoId, workspaceRoot].filter((one) => one !== null)
  if (places.length > 1 || (sessionId !== null && places.length > 0))
    return invalid('A schedule runs in one place: an agent group, a repo, a workspace or a session.')
  return ok({ sessionId, agentGroupId, repoId, workspaceRoot, agent, isolation: null })
}

function update(
  schedule: ScheduleState,
  command: Extract<ScheduleCommand, { type: 'schedule.update' }>,
  { now }: ScheduleFacts,
): Result<ScheduleChange[]> {
  const { type: _type, id, cron, every, at, timeZone, ...wanted } = command
  const body: Extract<ScheduleChange, { type: 'schedule.updated' }>['body'] = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  )
  const asked = [cron, every, at, timeZone].some((one) => one !== undefined)
  if (asked) {
    const zone = timeZone ?? (schedule.timing.kind === 'cron' ? schedule.timing.timeZone : undefined)
    const sameCron = schedule.timing.kind === 'cron' && every === undefined && at === undefined
    const line = cron ?? (sameCron ? cronLine(schedule.timing) : undefined)
    const timing = readTiming({ cron: line, every, at, timeZone: zone }, now)
    if (!timing.ok) return timing
    body.timing = timing.value
  }
  const jitterSeconds = body.jitterSeconds ?? schedule.jitterSeconds
  const next = body.timing ? nextAfter(body.timing, now) : schedule.nextAt === null ? null : Date.parse(schedule.nextAt)
  const status = body.timing && schedule.status === 'done' ? 'active' : schedule.status
  const due = dueOf({ id, jitterSeconds }, next)
  const data = { id, ownerUserId: schedule.ownerUserId, fields: Object.keys(body), ...due }
  // A paused one keeps its next time, and gets no deadline.
  return ok([
    {
      type: 'schedule.updated',
      data: status === 'active' ? data : { ...data, fireAt: null },
      body,
      status,
    },
  ])
}

const cronLine = (timing: Timing): string | undefined => (timing.kind === 'cron' ? timing.cron : undefined)

/** The runs that are due by now, under its policies, and the next due time. */
function dueChanges(schedule: ScheduleState, { now, open }: ScheduleFacts, graceMs: number) {
  const { id, ownerUserId, timing } = schedule
  const first = schedule.nextAt === null ? null : Date.parse(schedule.nextAt)
  // Jitter moves all due times of a schedule by the same amount.
  const until = now - jitterMs(schedule)
  if (first === null || first > until) return { runs: [], due: dueOf(schedule, first) }
  const { instants, count } = duesBetween(timing, first, until, mostMissed)
  const last = instants.at(-1) ?? first
  const onTime = until - last <= graceMs && graceMs > 0
  const late = onTime ? instants.slice(0, -1) : instants
  const missed = onTime ? count - 1 : count
  const runs: ScheduleChange[] = []
  let waiting = open.length
  const queue = (at: number, trigger: Trigger, passed: number) => {
    const data = { id, ownerUserId, runId: runIdOf(id, at), dueAt: iso(at), trigger, missed: passed }
    if (waiting >= mostQueued) runs.push({ type: 'schedule.run_skipped', data: { ...data, reason: tooManyWait } })
    else runs.push({ type: 'schedule.run_queued', data })
    waiting += 1
  }
  const unlessOverlapping = (at: number, trigger: Trigger, passed: number) => {
    if (open.length === 0 || schedule.overlap === 'queue') return queue(at, trigger, passed)
    const data = { id, ownerUserId, runId: runIdOf(id, at), dueAt: iso(at), trigger, missed: passed }
    runs.push({ type: 'schedule.run_skipped', data: { ...data, reason: 'The last run had not ended.' } })
  }
  const newestLate = late.at(-1)
  if (schedule.missed === 'all') for (const at of late) queue(at, 'missed', 1)
  else if (schedule.missed === 'skip' && newestLate !== undefined) runs.push(missedRun(schedule, newestLate, missed))
  else if (newestLate !== undefined && !onTime) unlessOverlapping(newestLate, 'missed', missed)
  if (onTime) {
    // Runs of missed due times do not overlap: they take turns.
    if (schedule.missed === 'all' && late.length > 0) queue(last, 'due', 0)
    else unlessOverlapping(last, 'due', schedule.missed === 'once' ? missed : 0)
  }
  return { runs, due: dueOf(schedule, nextAfter(timing, until)) }
}

const missedRun = ({ id, ownerUserId }: ScheduleState, at: number, missed: number): ScheduleChange => ({
  type: 'schedule.run_skipped',
  data: {
    id,
    ownerUserId,
    runId: runIdOf(id, at),
    dueAt: iso(at),
    trigger: 'missed',
    missed,
    reason: 'Due while nothing could run.',
  },
})

const skipped = (
  { id, ownerUserId }: ScheduleState,
  { id: runId, dueAt, trigger, missed }: Pick<ScheduleRun, 'id' | 'dueAt' | 'trigger' | 'missed'>,
  reason: string,
): ScheduleChange => ({
  type: 'schedule.run_skipped',
  data: { id, ownerUserId, runId, dueAt, trigger, missed, reason },
})

/** One run for each due time, on whatever node and however often it is decided. */
export const runIdOf = (id: ScheduleId, dueAt: number): RunId => derivedId<RunId>('schedule run', id, dueAt)

/** The same for a schedule every time, so that its runs keep their distance. */
export const jitterMs = ({ id, jitterSeconds }: Pick<Schedule, 'id' | 'jitterSeconds'>): number =>
  jitterSeconds === 0 ? 0 : (Number.parseInt(sha256(id).slice(0, 8), 16) % (jitterSeconds + 1)) * 1000

const fireTime = (schedule: Pick<Schedule, 'id' | 'jitterSeconds'>, at: number): number => at + jitterMs(schedule)

const dueOf = (schedule: Pick<Schedule, 'id' | 'jitterSeconds'>, next: number | null) => ({
  nextAt: next === null ? null : iso(next),
  fireAt: next === null ? null : iso(fireTime(schedule, next)),
})

const firstWords = (prompt: string): string => {
  const line = prompt.trim().split('\n')[0] ?? ''
  return line.length <= 60 ? line || 'Schedule' : `${line.slice(0, 59)}…`
}

const tooManyWait = `More than ${mostQueued} runs wait.`

const invalid = (message: string, hint?: string): Failed =>
  fail({ kind: 'invalid', code: 'invalid_schedule', message, hint })

const isOver = (): Failed =>
  fail({
    kind: 'conflict',
    code: 'schedule_done',
    message: 'This schedule is done: it has no more due times.',
    hint: 'Change its time, or run it now.',
  })

const goesOn = {
  kind: 'conflict' as const,
  code: 'run_in_progress',
  message: 'The last run has not ended.',
  hint: 'Wait for it, end its session, or set overlap to queue.',
}

const onlySame = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'Only agents that Signalbox runs can schedule fresh sessions.',
  hint: 'Use session same, or ask your operator.',
}

const noPrecheck = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'Only agents in a sandbox can schedule a precheck: it runs without an approval.',
  hint: 'Leave precheck out, or ask your operator.',
}

const tooMany = (most: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_schedules',
    message: `There are ${most} schedules already.`,
    hint: 'Cancel some of them first.',
  })
