import { prepare } from '../../db/prepare.ts'
import type { Executor, Tx } from '../../db/open.ts'
import type { AskId } from '../ask/id.ts'
import type { AskOrigin } from '../ask/schema.ts'
import type { UserId } from '../user/id.ts'
import type { SessionId } from './id.ts'
import type { NewSession, ProtocolMode, SessionOwnChange } from './schema.ts'
import { hasEnded, type SessionStatus } from './status.ts'

const byId = prepare<{ id: SessionId }>()((db, slots) =>
  db
    .selectFrom('sessions')
    .select([
      'id',
      'owner_user_id as ownerUserId',
      'protocol_mode as protocolMode',
      'status',
      'connectivity_status as connectivityStatus',
      'agent_group_id as agentGroupId',
      'token_id as tokenId',
      'last_activity_at as lastActivityAt',
      'last_tool as lastTool',
    ])
    .where('id', '=', slots.id),
)

/** The parts of a session that decide what may be done with it. */
export const loadSession = async (tx: Executor, id: SessionId) => (await byId(tx, { id }))[0]
export type LoadedSession = NonNullable<Awaited<ReturnType<typeof loadSession>>>

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
  db.selectFrom('asks').select(['id', 'origin']).where('session_id', '=', slots.id).where('status', '=', 'open'),
)
export const loadOpenAsks = (tx: Executor, id: SessionId): Promise<{ id: AskId; origin: AskOrigin }[]> =>
  openAsks(tx, { id })

const delegates = prepare<{ id: SessionId }>()((db, slots) =>
  db.selectFrom('session_delegates').select('user_id').where('session_id', '=', slots.id),
)
export const loadDelegates = async (tx: Executor, id: SessionId): Promise<UserId[]> =>
  (await delegates(tx, { id })).map((row) => row.user_id)

const slotCount = prepare<{ protocol: ProtocolMode }>()((db, slots) =>
  db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('protocol_mode', '=', slots.protocol)
    .where('status', 'in', ['created', 'active', 'paused']),
)
export const countSlots = async (tx: Executor, protocol: ProtocolMode): Promise<number> =>
  (await slotCount(tx, { protocol }))[0]?.n ?? 0

export async function projectSession(tx: Tx, change: SessionOwnChange, at: string): Promise<void> {
  switch (change.type) {
    case 'session.started':
      await insertSession(tx, change.body, change.data.restartOf, at)
      return
    case 'session.status_changed': {
      const { id, to, reason } = change.data
      await (hasEnded(to) ? end : move)(tx, { id, to, at })
      if (change.body?.noted && reason !== null) await noteReason(tx, id, reason)
      return
    }
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
    case 'session.alerted':
    case 'session.steered':
      return
    case 'session.touched':
      await touchSession(tx, change.data.id, change.data.tool, at)
      if (change.data.progress !== undefined) await setProgress(tx, change.data.id, change.data.progress)
      return
    default:
      change satisfies never
  }
}

const move = prepare<{ id: SessionId; to: SessionStatus; at: string }>()((db, slots) =>
  db.updateTable('sessions').set({ status: slots.to, updated_at: slots.at }).where('id', '=', slots.id),
)
const end = prepare<{ id: SessionId; to: SessionStatus; at: string }>()((db, slots) =>
  db
    .updateTable('sessions')
    .set({ status: slots.to, updated_at: slots.at, terminated_at: slots.at })
    .where('id', '=', slots.id),
)

async function noteReason(tx: Tx, id: SessionId, reason: string): Promise<void> {
  const row = await tx.selectFrom('sessions').select('metadata').where('id', '=', id).executeTakeFirstOrThrow()
  const metadata = JSON.stringify({ ...JSON.parse(row.metadata), reason })
  await tx.updateTable('sessions').set({ metadata }).where('id', '=', id).execute()
}

const touch = prepare<{ id: SessionId; at: string }>()((db, slots) =>
  db.updateTable('sessions').set({ last_activity_at: slots.at, updated_at: slots.at }).where('id', '=', slots.id),
)

/** A sign of life (R5). */
export async function touchSession(tx: Tx, id: SessionId, tool: string | null, at: string): Promise<void> {
  await touch(tx, { id, at })
  if (tool !== null) await tx.updateTable('sessions').set({ last_tool: tool }).where('id', '=', id).execute()
}

async function setProgress(tx: Tx, id: SessionId, progress: readonly unknown[] | null): Promise<void> {
  const progress_snapshot = progress === null ? null : JSON.stringify(progress)
  await tx.updateTable('sessions').set({ progress_snapshot }).where('id', '=', id).execute()
}

async function insertSession(tx: Tx, session: NewSession, restartOf: SessionId | null, at: string): Promise<void> {
  await tx
    .insertInto('sessions')
    .values({
      id: session.id,
      owner_user_id: session.ownerUserId,
      protocol_mode: session.protocolMode,
      status: 'created',
      prompt: session.prompt,
      mode: session.mode,
      workspace_root: session.workspaceRoot,
      repo_id: session.repoId,
      agent: session.agent,
      agent_provider: session.agentProvider,
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
      progress_snapshot: null,
      restart_of: restartOf,
      metadata: JSON.stringify(session.metadata),
      token_id: session.tokenId,
      created_at: at,
      updated_at: at,
      terminated_at: null,
    })
    .execute()
}
