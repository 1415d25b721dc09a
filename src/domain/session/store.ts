import { sql } from 'kysely'
import { prepare, prepareInsert } from '../../db/prepare.ts'
import type { Executor, Tx } from '../../db/open.ts'
import type { AskId } from '../ask/id.ts'
import type { AskOrigin } from '../ask/schema.ts'
import type { AskKind } from '../ask/subject.ts'
import type { UserId } from '../user/id.ts'
import type { SessionId } from './id.ts'
import type { ProgressItem, ProtocolMode, SessionOwnChange } from './schema.ts'
import { hasEnded, type SessionStatus } from './status.ts'
import { projectAllowance } from './store-allowances.ts'
import type { SessionTables } from './table.ts'
import { isJsonRecord, isListOf, isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'

const columns = [
  'id',
  'owner_user_id as ownerUserId',
  'protocol_mode as protocolMode',
  'status',
  'connectivity_status as connectivityStatus',
  'agent_group_id as agentGroupId',
  'token_id as tokenId',
  'last_activity_at as lastActivityAt',
  'last_tool as lastTool',
  'workspace_root as workspaceRoot',
  'mode',
  'was_paused as wasPaused',
  'client',
  'workspace_claimed as workspaceClaimed',
  'isolation',
  'repo_id as repoId',
  'workspace_mark as workspaceMark',
  'stall_paused as stallPaused',
  'stall_paused_until as stallPausedUntil',
  'progress_snapshot as progress',
  'messaging_group_id as messagingGroupId',
  'session_mode as sessionMode',
  'agent_phase as agentPhase',
  'phase_since as phaseSince',
  'turn_over as turnOver',
  'name',
  'pinned_at as pinnedAt',
  'archived_at as archivedAt',
] as const

const byId = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('sessions').select(columns).where('id', '=', slots.id),
)

/** The fields that decide what may be done with a session. */
export const loadSession = async (tx: Executor, id: SessionId) => (await byId(tx, { id }))[0]
export type LoadedSession = NonNullable<Awaited<ReturnType<typeof loadSession>>>

/** The same for many sessions, with their delegates. */
export async function loadSessions(
  db: Executor,
  ids: readonly SessionId[],
): Promise<(LoadedSession & { delegates: UserId[] })[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('sessions').select(columns).where('id', 'in', ids).execute()
  const lent = Map.groupBy(
    await db.selectFrom('session_delegates').select(['session_id', 'user_id']).where('session_id', 'in', ids).execute(),
    (row) => row.session_id,
  )
  return rows.map((row) => Object.assign(row, { delegates: (lent.get(row.id) ?? []).map(({ user_id }) => user_id) }))
}

const successor = prepare<{ id: SessionId }>()((db, slots) =>
  db
    .selectFrom('sessions')
    .select('id')
    .where('restart_of', '=', slots.id)
    .where('status', 'in', ['created', 'active', 'paused', 'interrupted']),
)
export const loadLiveSuccessor = async (tx: Executor, id: SessionId): Promise<SessionId | null> =>
  (await successor(tx, { id }))[0]?.id ?? null

const openAsks = prepare<{ id: SessionId }>()((db, slots) =>
  db
    .selectFrom('asks')
    .select(['id', 'origin', 'kind'])
    .where('session_id', '=', slots.id)
    .where('status', '=', 'open'),
)
export const loadOpenAsks = (tx: Executor, id: SessionId): Promise<{ id: AskId; origin: AskOrigin; kind: AskKind }[]> =>
  openAsks(tx, { id })

const delegates = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('session_delegates').select('user_id').where('session_id', '=', slots.id),
)
export const loadDelegates = async (tx: Executor, id: SessionId): Promise<UserId[]> =>
  (await delegates(tx, { id })).map((row) => row.user_id)

const slotCount = prepare<{ protocol: ProtocolMode }>()((db, slots) =>
  db
    .selectFrom('session_tally')
    .select((eb) => eb.fn.sum<number>('n').as('n'))
    .where('protocol_mode', '=', slots.protocol)
    .where('agent_phase', 'in', ['awake', 'waking'])
    .where('status', 'in', ['created', 'active', 'paused']),
)
export const countSlots = async (tx: Executor, protocol: ProtocolMode): Promise<number> =>
  (await slotCount(tx, { protocol }))[0]?.n ?? 0

const containerCount = prepare<object>()((db) =>
  db
    .selectFrom('sessions')
    .select((eb) => ['agent_phase', eb.fn.countAll<number>().as('n')])
    .where(
      sql<boolean>`protocol_mode = 'acp' and status in ('created', 'active', 'paused') and isolation = 'container'`,
    )
    .groupBy('agent_phase'),
)
/** Sessions whose container runs or starts, and those that wait for one. */
export async function countContainers(tx: Executor): Promise<{ taken: number; queued: number }> {
  const counted = new Map((await containerCount(tx, {})).map(({ agent_phase, n }) => [agent_phase, n]))
  return { taken: (counted.get('awake') ?? 0) + (counted.get('waking') ?? 0), queued: counted.get('queued') ?? 0 }
}

export async function projectSession(tx: Tx, change: SessionOwnChange, at: string): Promise<void> {
  switch (change.type) {
    case 'session.started':
      await insertSession(tx, change.body, change.data.restartOf, at)
      return
    case 'session.status_changed': {
      const { id, to, reason } = change.data
      if (change.body && 'inserted' in change.body) return
      await (hasEnded(to) ? end : move)(tx, { id, to, at })
      if (change.data.from === 'paused' || change.data.from === 'interrupted')
        await remember(tx, { id, wasPaused: Number(change.data.from === 'paused' && to === 'interrupted') })
      if (change.body && reason !== null) await noteReason(tx, id, reason)
      else if (change.data.from === 'paused' && to === 'active') await noteReason(tx, id, null)
      return
    }
    case 'session.phase_changed': {
      const { id, to, wakeAt } = change.data
      await tx
        .updateTable('sessions')
        .set({ agent_phase: to, phase_since: at, wake_at: wakeAt, updated_at: at })
        .where('id', '=', id)
        .execute()
      return
    }
    case 'session.turn_changed':
      await turn(tx, { id: change.data.id, over: Number(change.data.over) })
      return
    case 'session.connectivity_changed':
      await tx
        .updateTable('sessions')
        .set({ connectivity_status: change.data.to })
        .where('id', '=', change.data.id)
        .execute()
      return
    case 'session.delegated':
      await tx
        .insertInto('session_delegates')
        .values({ session_id: change.data.id, user_id: change.data.userId, granted_at: at })
        .execute()
      return
    case 'session.undelegated':
      await tx
        .deleteFrom('session_delegates')
        .where('session_id', '=', change.data.id)
        .where('user_id', '=', change.data.userId)
        .execute()
      return
    case 'session.renamed':
      await setListing(tx, change.data.id, { name: change.data.to })
      return
    case 'session.pinned':
      await setListing(tx, change.data.id, { pinned_at: change.data.pinned ? at : null })
      return
    case 'session.archived':
      await setListing(tx, change.data.id, { archived_at: change.data.archived ? at : null })
      return
    case 'session.rejoined': {
      const { id, to } = change.data
      const left = await tx
        .updateTable('sessions')
        .set({ recovered_as: to })
        .where('id', '=', id)
        .returning('client')
        .executeTakeFirst()
      // Requests without a connection continue with this session.
      if (left?.client === 'alone')
        await tx.updateTable('sessions').set({ client: 'alone' }).where('id', '=', to).execute()
      return
    }
    case 'session.thread_opened':
      await tx
        .updateTable('sessions')
        .set({ thread_ts: change.data.threadTs })
        .where('id', '=', change.data.id)
        .where('thread_ts', 'is', null)
        .execute()
      return
    case 'session.allowed':
    case 'session.disallowed':
      await projectAllowance(tx, change, at)
      return
    case 'session.alerted':
    case 'session.steered':
      return
    case 'session.mode_changed':
      await tx.updateTable('sessions').set({ mode: change.data.to }).where('id', '=', change.data.id).execute()
      return
    case 'session.watch_changed': {
      const { id, paused, until } = change.data
      await setWatch(tx, id, { stall_paused: Number(paused), stall_paused_until: until })
      return
    }
    case 'session.touched':
      await touchSession(tx, change.data.id, change.data.tool, at, change.data.still)
      if (change.data.longUntil !== undefined)
        await setWatch(tx, change.data.id, { stall_paused: 0, stall_paused_until: change.data.longUntil })
      if (change.data.progress !== undefined) await setProgress(tx, change.data.id, change.data.progress)
      return
    default:
      change satisfies never
  }
}

const turn = prepare<{ id: SessionId; over: number }>()((db, slots) =>
  db.updateTable('sessions').set({ turn_over: slots.over }).where('id', '=', slots.id),
)
const move = prepare<{ id: SessionId; to: SessionStatus; at: string }>()((db, slots) =>
  db.updateTable('sessions').set({ status: slots.to, updated_at: slots.at }).where('id', '=', slots.id),
)
const remember = prepare<{ id: SessionId; wasPaused: number }>()((db, slots) =>
  db.updateTable('sessions').set({ was_paused: slots.wasPaused }).where('id', '=', slots.id),
)
const end = prepare<{ id: SessionId; to: SessionStatus; at: string }>()((db, slots) =>
  db
    .updateTable('sessions')
    .set({ status: slots.to, updated_at: slots.at, terminated_at: slots.at })
    .where('id', '=', slots.id),
)

export const metadataColumn = jsonColumn('sessions.metadata', isJsonRecord)
export const progressColumn = jsonColumn('sessions.progress_snapshot', isListOf(isTaggedBy<ProgressItem>('label')))

/** Why Signalbox ended or paused it; null if it continues. */
async function noteReason(tx: Tx, id: SessionId, reason: string | null): Promise<void> {
  const row = await tx.selectFrom('sessions').select('metadata').where('id', '=', id).executeTakeFirstOrThrow()
  const { reason: before, ...rest } = metadataColumn(row.metadata)
  if (reason === null && before === undefined) return
  const metadata = JSON.stringify({ ...rest, ...(reason !== null && { reason }) })
  await tx.updateTable('sessions').set({ metadata }).where('id', '=', id).execute()
}

type Listing = Partial<Pick<SessionTables['sessions'], 'name' | 'pinned_at' | 'archived_at'>>
const setListing = (tx: Tx, id: SessionId, set: Listing) =>
  tx.updateTable('sessions').set(set).where('id', '=', id).execute()

const setWatch = (tx: Tx, id: SessionId, set: { stall_paused: number; stall_paused_until: string | null }) =>
  tx.updateTable('sessions').set(set).where('id', '=', id).execute()

type SignOfLife = { id: SessionId; at: string; tool: string | null }

// Agents do this with every call, so each kind is one statement.
const signOfLife = ({ still, used }: { still: boolean; used: boolean }) =>
  prepare<SignOfLife>()((db, slots) =>
    db
      .updateTable('sessions')
      .set({
        last_activity_at: slots.at,
        updated_at: slots.at,
        ...(!still && { progress_at: slots.at }),
        ...(used && { last_tool: slots.tool }),
      })
      .where('id', '=', slots.id),
  )
const touch = signOfLife({ still: false, used: false })
const touchByTool = signOfLife({ still: false, used: true })
const beat = signOfLife({ still: true, used: false })
const beatByTool = signOfLife({ still: true, used: true })

/** Records a sign of life (R5); `still`: alive, but without progress. */
export async function touchSession(
  tx: Tx,
  id: SessionId,
  tool: string | null,
  at: string,
  still = false,
): Promise<void> {
  const [plain, byTool] = still ? [beat, beatByTool] : [touch, touchByTool]
  await (tool === null ? plain : byTool)(tx, { id, at, tool })
}

async function setProgress(tx: Tx, id: SessionId, progress: readonly unknown[] | null): Promise<void> {
  const progress_snapshot = progress === null ? null : JSON.stringify(progress)
  await tx.updateTable('sessions').set({ progress_snapshot }).where('id', '=', id).execute()
}

const insertRow = prepareInsert('sessions')

async function insertSession(
  tx: Tx,
  session: Extract<SessionOwnChange, { type: 'session.started' }>['body'],
  restartOf: SessionId | null,
  at: string,
): Promise<void> {
  await insertRow(tx, {
    id: session.id,
    owner_user_id: session.ownerUserId,
    protocol_mode: session.protocolMode,
    status: session.status,
    name: session.name ?? null,
    pinned_at: null,
    archived_at: null,
    prompt: session.prompt,
    mode: session.mode,
    workspace_root: session.workspaceRoot,
    repo_id: session.repoId,
    agent: session.agent,
    agent_provider: session.agentProvider,
    model: session.model ?? null,
    effort: session.effort ?? null,
    isolation: session.isolation,
    agent_group_id: session.agentGroupId,
    messaging_group_id: session.messagingGroupId,
    thread_id: session.threadId,
    channel_id: session.channelId,
    thread_ts: session.threadTs,
    connectivity_status: 'online',
    container_status: 'stopped',
    last_activity_at: at,
    last_tool: null,
    nudge_count: 0,
    stall_paused: 0,
    stall_paused_until: null,
    progress_at: at,
    stall_from: session.status === 'active' ? at : null,
    was_paused: 0,
    client: session.client ?? null,
    workspace_claimed: Number(session.workspaceClaimed ?? false),
    worktree_of: session.worktreeOf ?? null,
    workspace_mark: session.workspaceMark,
    recovered_as: null,
    session_mode: session.sessionMode ?? null,
    progress_snapshot: null,
    restart_of: restartOf,
    metadata: JSON.stringify(session.metadata),
    token_id: session.tokenId,
    created_at: at,
    updated_at: at,
    terminated_at: null,
    agent_phase: session.agentPhase,
    turn_over: 0,
    phase_since: session.agentPhase === 'awake' ? null : at,
    wake_at: null,
  })
}
