import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { wrongUsage } from '../failure.ts'

type Given = { session: string | undefined; workspace: string | undefined; workspaceId: string | undefined }

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export type Place = {
  readonly query: URLSearchParams
  /** Nobody but us knows the session by this name yet. */
  readonly isOwnName: boolean
}

/** Which session this connection is, and where it works: said with every message. */
export function placeOf(given: Given, where: { cwd: string; isRemote: boolean }): Place {
  const { session, workspaceId } = given
  // Some editors put the folder in; one that does not leaves the name of the variable.
  const workspace = given.workspace?.includes('${') ? undefined : given.workspace
  if (workspace !== undefined && workspaceId !== undefined)
    throw wrongUsage('Give --workspace or --workspace-id, not both.')
  if (session !== undefined && !uuid.test(session))
    throw wrongUsage(`"${session}" is not the id of a session.`, 'It is the whole id: see signalbox sessions --json')
  const query = new URLSearchParams({ session_id: session ?? randomUUID() })
  if (workspaceId !== undefined) query.set('workspace_id', workspaceId)
  // A folder of this machine means nothing to a server elsewhere, unless somebody says it does.
  else if (workspace !== undefined) query.set('workspace', where.isRemote ? workspace : resolve(where.cwd, workspace))
  else if (!where.isRemote) query.set('workspace', where.cwd)
  return { query, isOwnName: session === undefined }
}
