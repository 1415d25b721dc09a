import type { AgentGroupId, TokenId, UserId } from '../user/id.ts'
import type { RepoId } from '../workspace/id.ts'
import type { SessionId } from './id.ts'
import type { Session } from './schema.ts'
import type { SessionStatus } from './status.ts'

export type SessionTables = {
  sessions: {
    id: SessionId
    owner_user_id: UserId
    protocol_mode: Session['protocolMode']
    status: SessionStatus
    prompt: string | null
    mode: Session['mode']
    workspace_root: string
    repo_id: RepoId | null
    agent: string | null
    agent_provider: string | null
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
    /** It was paused when its client was lost: coming back does not end the pause. */
    was_paused: number
    /** How its agent connects to us, where it does: over a connection, or with requests that stand alone. */
    client: 'connection' | 'alone' | null
    /** An agent named this workspace itself; no person has vouched for it. */
    workspace_claimed: number
    /** The repo that Signalbox made its workspace of, as a worktree. */
    worktree_of: string | null
    /** What its workspace was when it began; null if there was none, or nobody looked. */
    workspace_mark: string | null
    /** The session that its client went on with. */
    recovered_as: SessionId | null
    progress_snapshot: string | null
    restart_of: SessionId | null
    metadata: string
    token_id: TokenId | null
    created_at: string
    updated_at: string
    terminated_at: string | null
  }
  session_delegates: { session_id: SessionId; user_id: UserId; granted_at: string }
  /** How many sessions there are of each owner, repo and status; kept by triggers, so that totals cost nothing. */
  session_tally: { owner_user_id: UserId; repo_id: RepoId | ''; status: SessionStatus; n: number }
}
