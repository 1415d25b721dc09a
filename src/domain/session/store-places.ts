import type { Executor } from '../../db/open.ts'
import type { Viewer } from '../user/actor.ts'
import type { SessionId } from './id.ts'
import { visibleSessions } from './query.ts'
import type { Session } from './schema.ts'

const live = ['created', 'active', 'paused', 'interrupted'] as const
const mostWorktrees = 500

export type WorktreeRow = {
  sessionId: SessionId
  path: string
  repo: string
  status: Session['status']
}

/** Sessions with a worktree that a viewer may see, the newest of each worktree. */
export async function worktreesOfSessions(db: Executor, viewer: Viewer): Promise<WorktreeRow[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['id', 'workspace_root', 'worktree_of', 'status'])
    .where('worktree_of', 'is not', null)
    .where((eb) => visibleSessions(eb, viewer) ?? eb.lit(true))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostWorktrees)
    .execute()
  const newest = new Map<string, WorktreeRow>()
  for (const { id, workspace_root: path, worktree_of: repo, status } of rows)
    if (!newest.has(path)) newest.set(path, { sessionId: id, path, repo: repo ?? '', status })
  return [...newest.values()]
}

/** Sessions that have not ended, with an agent that works in this directory. */
export async function liveSessionsIn(db: Executor, path: string): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('workspace_root', '=', path)
    .where('status', 'in', live)
    .where('protocol_mode', '!=', 'terminal')
    .orderBy('created_at')
    .limit(100)
    .execute()
  return rows.map(({ id }) => id)
}
