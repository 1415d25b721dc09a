import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import { sessionsSeenBy } from '../session/query.ts'
import type { Viewer } from '../user/actor.ts'
import type { Checkpoint, CheckpointId } from './schema.ts'
import { toCheckpoint } from './store.ts'

/** By sessions, workspace or viewer; all checkpoints without a filter. */
export type CheckpointFilter = {
  sessionIds?: readonly SessionId[]
  workspaceRoot?: string
  viewer?: Viewer
  limit?: number
  /** Only those that are older than this one. */
  before?: { readonly createdAt: string; readonly id: string } | undefined
}

/** Newest first. */
export async function listCheckpoints(db: Executor, filter: CheckpointFilter): Promise<Checkpoint[]> {
  const { sessionIds, workspaceRoot, viewer, limit = 500, before } = filter
  let query = db.selectFrom('checkpoints').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (before !== undefined) {
    const { createdAt, id } = before
    query = query.where((eb) =>
      eb.or([
        eb('created_at', '<', createdAt),
        eb.and([eb('created_at', '=', createdAt), eb('id', '<', id as CheckpointId)]),
      ]),
    )
  }
  if (sessionIds !== undefined) query = query.where('session_id', 'in', sessionIds)
  if (workspaceRoot !== undefined) query = query.where('workspace_root', '=', workspaceRoot)
  if (viewer !== undefined && viewer.sees !== 'all') query = query.where('session_id', 'in', sessionsSeenBy(db, viewer))
  return (await query.execute()).map(toCheckpoint)
}
