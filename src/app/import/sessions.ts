import { join } from 'node:path'
import { SessionMode } from '../../domain/chat/id.ts'
import { loadChat } from '../../domain/chat/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { SessionStatus } from '../../domain/session/status.ts'
import type { UserId } from '../../domain/user/id.ts'
import { approversOf, firstOwner } from '../../domain/user/query.ts'
import { idFor, timeOr } from './convert.ts'
import type { SeedRow } from './rows.ts'
import { missing, type Work } from './work.ts'

/** Sessions are history: their agents and messages stay where they were. */
export async function importSessions(work: Work): Promise<void> {
  const { seed, tally, sessions } = work
  const owner = await firstOwner(work.tx)
  for (const row of seed.sessions) {
    const groupId = work.groups.get(row.agent_group_id)
    if (!groupId) {
      tally.leftOut('sessions', row.id, missing('agent group', row.agent_group_id))
      continue
    }
    // Sessions had no owner there; here the head of the agent group owns them.
    const ownerId = owner ?? (await approversOf(work.tx, groupId))[0]
    if (!ownerId) {
      tally.leftOut('sessions', row.id, 'there is no owner: start the server once, then import again')
      continue
    }
    const id = idFor<SessionId>('sessions', row.id)
    sessions.set(row.id, id)
    tally.imported('sessions', await insertSession(work, row, id, ownerId))
  }
}

const statuses: Readonly<Record<string, SessionStatus>> = {
  active: 'interrupted',
  paused: 'interrupted',
  error: 'error',
  cancelled: 'cancelled',
  terminated: 'terminated',
}

async function insertSession(work: Work, row: SeedRow<'sessions'>, id: SessionId, ownerId: UserId): Promise<boolean> {
  const { tx, now } = work
  const chat = row.messaging_group_id === null ? undefined : work.chats.get(row.messaging_group_id)
  const createdAt = timeOr(row.created_at, now)
  const lastActive = timeOr(row.last_active, createdAt)
  const folder = work.seed.agent_groups.find((group) => group.id === row.agent_group_id)?.folder
  const status = statuses[row.status ?? 'active'] ?? 'completed'
  const inserted = await tx
    .insertInto('sessions')
    .values({
      id,
      owner_user_id: ownerId,
      protocol_mode: 'acp',
      status,
      name: null,
      pinned_at: null,
      archived_at: null,
      prompt: null,
      mode: 'remote',
      workspace_root: folder === undefined ? work.groupsDir : join(work.groupsDir, folder),
      repo_id: null,
      agent: null,
      agent_provider: row.agent_provider,
      model: null,
      effort: null,
      isolation: null,
      agent_group_id: work.groups.get(row.agent_group_id) ?? null,
      messaging_group_id: chat ?? null,
      thread_id: row.thread_id,
      channel_id: chat ? ((await loadChat(tx, chat))?.platformId.slice(0, 200) ?? null) : null,
      thread_ts: row.thread_id,
      connectivity_status: 'offline',
      container_status: 'stopped',
      last_activity_at: lastActive,
      last_tool: null,
      nudge_count: 0,
      stall_paused: 0,
      stall_paused_until: null,
      progress_at: null,
      stall_from: null,
      was_paused: 0,
      client: null,
      workspace_claimed: 0,
      worktree_of: null,
      workspace_mark: null,
      recovered_as: null,
      session_mode: modeOf(work, row),
      progress_snapshot: null,
      restart_of: null,
      metadata: JSON.stringify({ nanoclaw_session: row.id }),
      token_id: null,
      created_at: createdAt,
      updated_at: lastActive,
      agent_phase: 'awake',
      turn_over: 0,
      phase_since: null,
      wake_at: null,
      terminated_at: status === 'interrupted' ? null : lastActive,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  return inserted.length > 0
}

function modeOf({ seed }: Work, row: SeedRow<'sessions'>): SessionMode | null {
  const wiring = seed.messaging_group_agents.find(
    (one) => one.agent_group_id === row.agent_group_id && one.messaging_group_id === row.messaging_group_id,
  )
  const mode = SessionMode.safeParse(wiring?.session_mode)
  return mode.success ? mode.data : null
}
