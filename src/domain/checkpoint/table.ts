import type { SessionId } from '../session/id.ts'
import type { CheckpointId, CheckpointReason } from './schema.ts'

export type CheckpointTables = {
  checkpoints: {
    id: CheckpointId
    session_id: SessionId
    workspace_root: string
    label: string | null
    reason: CheckpointReason
    /** JSON: the session's snapshot, and the files that could not be kept. */
    session_state: string
    progress_snapshot: string | null
    tree: string
    restore_point: string
    file_count: number
    created_at: string
  }
}
