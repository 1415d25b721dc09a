import type { Executor } from '../../db/open.ts'
import type { TokenId, UserId } from '../user/id.ts'
import type { SessionId } from './id.ts'
import type { SessionStatus } from './status.ts'

const alive: readonly SessionStatus[] = ['created', 'active', 'paused', 'interrupted']

/** The token that started the session and may act for it. */
export async function tokenOfSession(db: Executor, id: SessionId): Promise<TokenId | null> {
  const row = await db.selectFrom('sessions').select('token_id').where('id', '=', id).executeTakeFirst()
  return row?.token_id ?? null
}

/** A person's sessions in a workspace whose client was lost. */
export async function recoverableSessions(
  db: Executor,
  ownerUserId: UserId,
  workspaceRoot: string,
): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('id')
    .where('workspace_root', '=', workspaceRoot)
    .where('owner_user_id', '=', ownerUserId)
    .where('protocol_mode', '=', 'mcp')
    .where('status', '=', 'interrupted')
    .orderBy('created_at', 'desc')
    .execute()
  return rows.map(({ id }) => id)
}

/** The session shared by requests without a connection, for one token and workspace. */
export async function sharedSession(
  db: Executor,
  ownerUserId: UserId,
  tokenId: TokenId | null,
  workspaceRoot: string,
): Promise<SessionId | null> {
  const row = await db
    .selectFrom('sessions')
    .select('id')
    .where('workspace_root', '=', workspaceRoot)
    .where('owner_user_id', '=', ownerUserId)
    .where('token_id', tokenId === null ? 'is' : '=', tokenId)
    .where('protocol_mode', '=', 'mcp')
    .where('status', 'in', alive)
    .where('client', '=', 'alone')
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Running sessions whose client connects over MCP and has been silent since. `unlessAt` excludes those another node has
 * been in contact with.
 */
export async function silentSessions(
  db: Executor,
  before: string,
  unlessAt?: { exceptNode: string; since: string },
): Promise<SessionId[]> {
  let query = db
    .selectFrom('sessions')
    .select('id')
    .where('protocol_mode', '=', 'mcp')
    .where('status', 'in', ['active', 'paused'])
    .where('last_activity_at', '<', before)
    .where('client', 'is not', null)
  if (unlessAt) {
    const { exceptNode, since } = unlessAt
    const elsewhere = db.selectFrom('client_contacts').select('session_id').where('node_id', '<>', exceptNode)
    query = query.where('id', 'not in', elsewhere.where('at', '>=', since))
  }
  return (await query.execute()).map(({ id }) => id)
}

/** Sessions of the same person and agent in the same workspace, whose client is connected over MCP. */
export async function sessionsOfSameClient(db: Executor, id: SessionId): Promise<SessionId[]> {
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('sessions as own', (join) =>
      join
        .onRef('own.workspace_root', '=', 'sessions.workspace_root')
        .onRef('own.owner_user_id', '=', 'sessions.owner_user_id')
        .onRef('own.agent', '=', 'sessions.agent'),
    )
    .select('sessions.id')
    .where('own.id', '=', id)
    .where('sessions.id', '<>', id)
    .where('sessions.protocol_mode', '=', 'mcp')
    .where('sessions.status', 'in', ['active', 'paused'])
    .where('sessions.client', 'is not', null)
    .execute()
  return rows.map((row) => row.id)
}

/** The session its client continued with, following the chain to the end. */
export async function recoveredAs(db: Executor, id: SessionId): Promise<SessionId> {
  let last = id
  const seen = new Set<SessionId>()
  while (!seen.has(last)) {
    seen.add(last)
    const row = await db.selectFrom('sessions').select('recovered_as').where('id', '=', last).executeTakeFirst()
    last = row?.recovered_as ?? last
  }
  return last
}

export async function sessionsDelegatedTo(db: Executor, userId: UserId): Promise<SessionId[]> {
  const rows = await db.selectFrom('session_delegates').select('session_id').where('user_id', '=', userId).execute()
  return rows.map((row) => row.session_id)
}

export async function delegatesOf(db: Executor, id: SessionId): Promise<UserId[]> {
  const rows = await db.selectFrom('session_delegates').select('user_id').where('session_id', '=', id).execute()
  return rows.map(({ user_id: userId }) => userId)
}

export async function sessionsOwnedBy(db: Executor, userId: UserId): Promise<SessionId[]> {
  const rows = await db.selectFrom('sessions').select('id').where('owner_user_id', '=', userId).execute()
  return rows.map(({ id }) => id)
}

export async function sessionsOfToken(db: Executor, tokenId: TokenId): Promise<SessionId[]> {
  const rows = await db.selectFrom('sessions').select('id').where('token_id', '=', tokenId).execute()
  return rows.map((row) => row.id)
}
