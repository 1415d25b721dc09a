import type { Generated } from 'kysely'
import type { AskId } from '../ask/id.ts'
import type { SessionMode } from '../chat/id.ts'
import type { AgentGroupId, TokenId, UserId } from '../user/id.ts'
import type { RepoId } from '../workspace/id.ts'
import type { SessionId } from './id.ts'
import type { Session } from './schema.ts'
import type { AgentPhase } from './phase.ts'
import type { SessionStatus } from './status.ts'

type Measures = {
  sessions: Generated<number>
  cost_usd: Generated<number>
  asks: Generated<number>
  answered: Generated<number>
  automatic: Generated<number>
  waited_ms: Generated<number>
}

export type SessionTables = {
  /** What a session had on a day; asks count for the person who answered. Starts and asks are added by triggers. */
  session_days: Measures & { session_id: SessionId; day: string; person: UserId; last_cost_usd: number | null }
  /** The same, summed up by triggers (B19). */
  overview_days: Measures & {
    day: string
    person: UserId
    owner_user_id: UserId
    agent: string
    repo_id: string
    agent_group_id: string
  }
  session_allowances: {
    id: AskId
    session_id: SessionId
    ask_key: string
    what: string
    risk: 'low' | 'high' | 'critical'
    given_by: string
    given_at: string
    revoked_by: string | null
    revoked_at: string | null
  }
  sessions: {
    id: SessionId
    owner_user_id: UserId
    protocol_mode: Session['protocolMode']
    status: SessionStatus
    /** What people call it. */
    name: string | null
    pinned_at: string | null
    archived_at: string | null
    prompt: string | null
    mode: Session['mode']
    workspace_root: string
    repo_id: RepoId | null
    agent: string | null
    agent_provider: string | null
    model: string | null
    effort: string | null
    isolation: Session['isolation']
    agent_group_id: AgentGroupId | null
    messaging_group_id: NonNullable<Session['messagingGroupId']> | null
    thread_id: string | null
    channel_id: string | null
    thread_ts: string | null
    connectivity_status: Session['connectivityStatus']
    container_status: Session['containerStatus']
    last_activity_at: string | null
    last_tool: string | null
    nudge_count: number
    stall_paused: number
    stall_paused_until: string | null
    progress_at: string | null
    stall_from: string | null
    /** It was paused when its client was lost, so a reconnect does not end the pause. */
    was_paused: number
    /** How its agent connects to us, if it does: over a connection, or with single requests. */
    client: 'connection' | 'alone' | null
    /** An agent named this workspace itself; no person has approved it. */
    workspace_claimed: number
    /** The repo from which Signalbox created its workspace as a worktree. */
    worktree_of: string | null
    /** Identifies its workspace directory as of the start; null if there was none, or it was not checked. */
    workspace_mark: string | null
    /** The session its client continued with. */
    recovered_as: SessionId | null
    /** Which messages of chats reach it; null if it was not started from a chat. */
    session_mode: SessionMode | null
    progress_snapshot: string | null
    restart_of: SessionId | null
    metadata: string
    token_id: TokenId | null
    created_at: string
    updated_at: string
    terminated_at: string | null
    agent_phase: AgentPhase
    /** Of an agent that connects over MCP. */
    turn_over: number
    phase_since: string | null
    /** When a waking agent is to be started; null: now. */
    wake_at: string | null
  }
  session_delegates: { session_id: SessionId; user_id: UserId; granted_at: string }
  /** The number of sessions per protocol, status, phase, owner and repo; maintained by triggers, so totals are cheap. */
  session_tally: {
    protocol_mode: 'mcp' | 'acp' | 'terminal'
    status: SessionStatus
    agent_phase: SessionTables['sessions']['agent_phase']
    owner_user_id: UserId
    repo_id: RepoId | ''
    n: number
  }
}
