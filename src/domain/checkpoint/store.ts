import type { Executor, Tx } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { CheckpointedSession } from './decide.ts'
import type { Checkpoint, CheckpointChange, CheckpointId, NotKept, SessionSnapshot } from './schema.ts'
import type { CheckpointTables } from './table.ts'
import { isTaggedBy, jsonColumn } from '../../lib/parse-json.ts'
import { KeptItem } from '../queue/schema.ts'
import { waitingItems } from '../queue/store.ts'
import { progressColumn } from '../session/store.ts'

type Row = CheckpointTables['checkpoints']

const stateColumn = jsonColumn(
  'checkpoints.session_state',
  isTaggedBy<SessionSnapshot & { notKept: NotKept }>('status'),
)

export function toCheckpoint(row: Row): Checkpoint {
  const { notKept, ...sessionState } = stateColumn(row.session_state)
  return {
    id: row.id,
    sessionId: row.session_id,
    workspaceRoot: row.workspace_root,
    label: row.label,
    reason: row.reason,
    fileCount: row.file_count,
    notKept,
    tree: row.tree,
    restorePoint: row.restore_point,
    progressSnapshot: progressColumn(row.progress_snapshot),
    sessionState,
    createdAt: row.created_at,
  }
}

export async function loadCheckpoint(db: Executor, id: CheckpointId): Promise<Checkpoint | undefined> {
  const row = await db.selectFrom('checkpoints').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toCheckpoint(row)
}

/** The part of a session that a checkpoint keeps, as it is now. */
export async function loadCheckpointedSession(db: Executor, id: SessionId): Promise<CheckpointedSession | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select(['status', 'protocol_mode', 'mode', 'prompt', 'agent', 'last_tool', 'workspace_root', 'progress_snapshot'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const queue = (await waitingItems(db, id)).map((item) => KeptItem.parse(item))
  const { status, protocol_mode: protocolMode, mode, prompt, agent, last_tool: lastTool } = row
  return {
    id,
    workspaceRoot: row.workspace_root,
    progressSnapshot: progressColumn(row.progress_snapshot),
    sessionState: { status, protocolMode, mode, prompt, agent, lastTool, queue },
  }
}

export async function projectCheckpoint(tx: Tx, change: CheckpointChange, at: string): Promise<void> {
  switch (change.type) {
    case 'checkpoint.recorded': {
      const { body } = change
      await tx
        .insertInto('checkpoints')
        .values({
          id: body.id,
          session_id: body.sessionId,
          workspace_root: body.workspaceRoot,
          label: body.label,
          reason: body.reason,
          session_state: JSON.stringify({ ...body.sessionState, notKept: body.notKept }),
          progress_snapshot: body.progressSnapshot === null ? null : JSON.stringify(body.progressSnapshot),
          tree: body.tree,
          restore_point: body.restorePoint,
          file_count: body.fileCount,
          created_at: at,
        })
        .execute()
      return
    }
    case 'checkpoint.restored':
      // Only in the log: restoring a checkpoint does not change it.
      return
    default:
      change satisfies never
  }
}
