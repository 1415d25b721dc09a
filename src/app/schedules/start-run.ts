import type { QueueItemId } from '../../domain/queue/schema.ts'
import { loadQueueItem } from '../../domain/queue/store.ts'
import type { ScheduleRun } from '../../domain/schedule/schema.ts'
import { loadSchedule, type LoadedSchedule } from '../../domain/schedule/store.ts'
import { loadGroup } from '../../domain/agent-group/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { lineageOf } from '../../domain/session/query.ts'
import type { Session } from '../../domain/session/schema.ts'
import { takesSlot } from '../../domain/session/status.ts'
import { loadSession } from '../../domain/session/store.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import { loadStanding } from '../../domain/user/store.ts'
import { getRepo } from '../../domain/workspace/store.ts'
import type { Database } from '../../db/open.ts'
import type { Guard } from '../../db/leases.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { fail, notFound, ok, type Fault, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Requester } from '../use-cases/requester.ts'
import type { Sessions, WantedSession } from '../use-cases/start-session.ts'
import type { Precheck } from './ports.ts'
import { promptWith, verdictOf } from './precheck.ts'

export type StartRunDeps = {
  app: Pick<App, 'read' | 'dispatch'>
  database: Pick<Database, 'read'>
  sessions: Pick<Sessions, 'start' | 'continue' | 'locate'>
  precheck: Precheck
}

const system = systemStanding('schedules')

type Started = {
  readonly sessionId: SessionId
  readonly itemId: QueueItemId | null
  readonly costBefore: number | null
}
/** What came of a run; `later`: nothing was in its way but the moment. */
export type RunAttempt =
  | { readonly kind: 'started'; readonly started: Started }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string }

/**
 * Starts one run as the schedule's creator (R2). Its session and its prompt have ids made from the run, and the run has one
 * made from its due time: an attempt that is repeated after a crash, or on another node, finds what the first one did.
 */
export async function startRun(deps: StartRunDeps, run: ScheduleRun, guard: Guard): Promise<RunAttempt> {
  const schedule = await loadSchedule(deps.database.read, run.scheduleId)
  if (!schedule) return { kind: 'failed', reason: 'The schedule no longer exists.' }
  const actor = { kind: 'person' as const, userId: schedule.ownerUserId, scope: 'full' as const }
  const standing = await loadStanding(deps.database.read, actor)
  // Without the guard: an error in the middle of a start would leave its process behind. The key is enough.
  const by: Requester = { actor, standing, once: { key: `schedule run ${run.id}` } }
  if (schedule.session === 'fresh') return freshRun(deps, run, schedule, by)
  return sameRun(deps, run, schedule, { by, guard })
}

async function freshRun(
  deps: StartRunDeps,
  run: ScheduleRun,
  schedule: LoadedSchedule,
  by: Requester,
): Promise<RunAttempt> {
  const { read } = deps.database
  const id = derivedId<SessionId>('schedule session', run.id)
  const before = await loadSession(read, id)
  if (before) return { kind: 'started', started: { sessionId: id, itemId: null, costBefore: null } }
  const target = await targetOf(deps, schedule)
  if (!target.ok) return failed(target.fault)
  const wanted: WantedSession = {
    id,
    protocolMode: 'acp',
    ...target.value,
    ...(schedule.isolation !== null && { isolation: schedule.isolation }),
    mode: 'remote',
    metadata: { scheduleId: schedule.id, scheduleRunId: run.id },
  }
  let prompt = schedule.prompt
  if (schedule.precheck !== null) {
    const place = await deps.sessions.locate(wanted, { ...by, once: {} })
    if (!place.ok) return refused(place.fault)
    const verdict = await check(deps, schedule.precheck, by, { ...wanted, id, workspace: place.value })
    if (verdict.kind !== 'run') return { kind: verdict.kind === 'skip' ? 'skipped' : 'failed', reason: verdict.reason }
    prompt = promptWith(prompt, verdict.found)
  }
  const started = await deps.sessions.start({ ...wanted, prompt }, by)
  if (started.ok) return { kind: 'started', started: { sessionId: started.value, itemId: null, costBefore: null } }
  return refused(started.fault)
}

/** The agent group's configuration as it is now, or what the schedule names. */
async function targetOf(
  { database: { read } }: StartRunDeps,
  schedule: LoadedSchedule,
): Promise<Result<Pick<WantedSession, 'repoId' | 'workspaceRoot' | 'agent' | 'worktree' | 'chat'>>> {
  const { agentGroupId, repoId, workspaceRoot, agent } = schedule
  if (agentGroupId !== null) {
    const group = await loadGroup(read, agentGroupId)
    if (!group || group.removedAt !== null) return notFound('agent_group', agentGroupId)
    return ok({
      ...placeIn(group.repoId, group.workspaceRoot),
      ...(group.agent !== null && { agent: group.agent }),
      worktree: false,
      chat: {
        agentProvider: group.agentProvider,
        agentGroupId: group.id,
        messagingGroupId: null,
        threadId: null,
        channelId: null,
        threadTs: null,
        sessionMode: null,
      },
    })
  }
  // An agent that worked in a worktree of the repo gets another one.
  const repo = repoId === null ? undefined : await getRepo(read, repoId)
  const worktree = repo !== undefined && workspaceRoot !== null && repo.path !== workspaceRoot
  return ok({ ...placeIn(repoId, workspaceRoot), ...(agent !== null && { agent }), worktree })
}

const placeIn = (repoId: LoadedSchedule['repoId'], workspaceRoot: string | null) =>
  repoId !== null ? { repoId } : workspaceRoot !== null ? { workspaceRoot } : {}

async function sameRun(
  deps: StartRunDeps,
  run: ScheduleRun,
  schedule: LoadedSchedule,
  { by, guard }: { by: Requester; guard: Guard },
): Promise<RunAttempt> {
  const { read } = deps.database
  const itemId = derivedId<QueueItemId>('schedule prompt', run.id)
  const successor = derivedId<SessionId>('schedule session', run.id)
  const queued = await loadQueueItem(read, itemId)
  if (queued) return { kind: 'started', started: { sessionId: queued.sessionId, itemId, costBefore: null } }
  if (await loadSession(read, successor))
    return { kind: 'started', started: { sessionId: successor, itemId: null, costBefore: null } }
  const session = await newestOf(deps, schedule.sessionId)
  if (!session) return { kind: 'failed', reason: 'The session no longer exists.' }
  let prompt = schedule.prompt
  if (schedule.precheck !== null) {
    const { repoId, workspaceRoot, agent, isolation } = session
    const place = { ...placeIn(repoId, workspaceRoot), worktree: false, mode: session.mode, metadata: {} }
    const allowed = await deps.sessions.locate({ ...place, protocolMode: session.protocolMode }, { ...by, once: {} })
    if (!allowed.ok) return refused(allowed.fault)
    const about = { id: session.id, agent: agent ?? undefined, isolation: isolation ?? undefined }
    const verdict = await check(deps, schedule.precheck, by, { ...about, workspace: workspaceRoot })
    if (verdict.kind !== 'run') return { kind: verdict.kind === 'skip' ? 'skipped' : 'failed', reason: verdict.reason }
    prompt = promptWith(prompt, verdict.found)
  }
  const costBefore = await costOf(deps.app, session.id)
  if (takesSlot(session.status)) {
    const item = { id: itemId, sessionId: session.id, text: prompt, when: 'next' as const, waits: true }
    const added = await deps.app.dispatch({ type: 'queue.add', ...item }, by.actor, { guard })
    if (added.ok) return { kind: 'started', started: { sessionId: session.id, itemId, costBefore } }
    return refused(added.fault)
  }
  if (session.protocolMode !== 'acp') return failed(notConnected)
  const continued = await deps.sessions.continue(session.id, { id: successor, prompt }, by)
  if (continued.ok) return { kind: 'started', started: { sessionId: continued.value, itemId: null, costBefore: null } }
  return refused(continued.fault)
}

/** The session itself, or the one that continues it. */
async function newestOf({ app, database: { read } }: StartRunDeps, id: SessionId | null): Promise<Session | null> {
  if (id === null) return null
  const line = await lineageOf(read, id)
  const found = (await Promise.all(line.map((one) => app.read.session(system, one)))).flatMap((one) =>
    one.ok ? [one.value] : [],
  )
  return found.findLast(({ status }) => takesSlot(status)) ?? found.at(-1) ?? null
}

type Checked = {
  id: SessionId
  agent?: string | undefined
  isolation?: Session['isolation'] | undefined
  workspace: string
}

async function check({ precheck }: StartRunDeps, script: string, by: Requester, place: Checked) {
  const { id, agent = null, isolation = null, workspace } = place
  return verdictOf(await precheck(script, { sessionId: id, agent, isolation, workspace, by: by.standing }))
}

/** What the session has cost so far, as its agent reports it. */
export async function costOf(app: Pick<App, 'read'>, id: SessionId): Promise<number | null> {
  const state = await app.read.agentState(system, id)
  return state.ok ? (state.value.usage?.costUsd ?? null) : null
}

const reasonOf = ({ message, hint }: Fault): string =>
  (hint === undefined ? message : `${message} ${hint}`).slice(0, 2000)

const failed = (fault: Fault): RunAttempt => ({ kind: 'failed', reason: reasonOf(fault) })

/** Full or busy: worth another try. An agent that does not start is not. */
const isPassing = ({ kind, code }: Fault): boolean =>
  kind === 'limited' || (kind === 'unavailable' && !code.startsWith('agent_'))

const refused = (fault: Fault): RunAttempt => ({ kind: isPassing(fault) ? 'later' : 'failed', reason: reasonOf(fault) })

const notConnected: Fault = fail({
  kind: 'unavailable',
  code: 'agent_unavailable',
  message: 'The session has ended, and Signalbox does not run its agent.',
  hint: 'Connect the agent again, or use a fresh session.',
}).fault
