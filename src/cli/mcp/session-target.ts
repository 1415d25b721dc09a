import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { wrongUsage } from '../failure.ts'

type SessionFlags = { session: string | undefined; workspace: string | undefined; workspaceId: string | undefined }

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export type SessionTarget = {
  readonly query: URLSearchParams
  /** We generated the session id. */
  readonly isOwnName: boolean
}

/** The session and workspace of this connection, sent with every message. */
export function sessionTargetOf(given: SessionFlags, where: { cwd: string; isRemote: boolean }): SessionTarget {
  const { session, workspaceId } = given
  // Some editors fill in the folder; others leave the variable's name.
  const workspace = given.workspace?.includes('${') ? undefined : given.workspace
  if (workspace !== undefined && workspaceId !== undefined)
    throw wrongUsage('Give --workspace or --workspace-id, not both.')
  if (session !== undefined && !uuid.test(session))
    throw wrongUsage(`Invalid session id '${session}'.`, 'Give the full id. To list ids: signalbox sessions --json')
  const query = new URLSearchParams({ session_id: session ?? randomUUID() })
  if (workspaceId !== undefined) query.set('workspace_id', workspaceId)
  // A remote server does not know folders of this machine, unless --workspace names one.
  else if (workspace !== undefined) query.set('workspace', where.isRemote ? workspace : resolve(where.cwd, workspace))
  else if (!where.isRemote) query.set('workspace', where.cwd)
  return { query, isOwnName: session === undefined }
}
