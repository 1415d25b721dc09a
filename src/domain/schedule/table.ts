import type { QueueItemId } from '../queue/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { Session } from '../session/schema.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { RepoId } from '../workspace/id.ts'
import type { RunId, RunStatus, Schedule, ScheduleId, Trigger } from './schema.ts'

export type ScheduleTables = {
  schedules: {
    id: ScheduleId
    owner_user_id: UserId
    name: string
    prompt: string
    timing: string
    session_choice: Schedule['session']
    session_id: SessionId | null
    agent_group_id: AgentGroupId | null
    repo_id: RepoId | null
    workspace_root: string | null
    agent: string | null
    isolation: Session['isolation']
    precheck: string | null
    missed: Schedule['missed']
    overlap: Schedule['overlap']
    jitter_seconds: number
    status: Schedule['status']
    /** Without jitter. A paused schedule keeps it; its deadline is what makes it due. */
    next_at: string | null
    made_by: SessionId | null
    failures_in_a_row: number
    last_run_id: RunId | null
    created_at: string
    updated_at: string
  }
  schedule_runs: {
    id: RunId
    schedule_id: ScheduleId
    due_at: string
    trigger_kind: Trigger
    status: RunStatus
    reason: string | null
    missed: number
    session_id: SessionId | null
    /** The prompt in the queue of a session that was there before. */
    item_id: QueueItemId | null
    cost_before: number | null
    cost_usd: number | null
    started_at: string | null
    ended_at: string | null
    created_at: string
  }
}
