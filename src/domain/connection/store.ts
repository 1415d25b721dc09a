import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { SessionId } from '../session/id.ts'
import type { Connection, NewConnection, StreamEvent, StreamName } from './records.ts'
import type { ConnectionTables } from './table.ts'

type Row = ConnectionTables['mcp_connections']

const toConnection = (row: Row): Connection => ({
  id: row.id,
  sessionId: row.session_id,
  userId: row.user_id,
  tokenId: row.token_id,
  initialize: row.initialize,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  closedAt: row.closed_at,
})

export async function openConnection(db: Executor, connection: NewConnection): Promise<void> {
  await db
    .insertInto('mcp_connections')
    .values({
      id: connection.id,
      session_id: connection.sessionId,
      user_id: connection.userId,
      token_id: connection.tokenId,
      initialize: connection.initialize,
      created_at: connection.createdAt,
      last_seen_at: connection.createdAt,
      closed_at: null,
    })
    .execute()
}

export async function touchConnections(db: Executor, ids: readonly string[], at: string): Promise<void> {
  if (ids.length === 0) return
  await db.updateTable('mcp_connections').set({ last_seen_at: at }).where('id', 'in', ids).execute()
}

export async function closeConnection(db: Executor, id: string, at: string): Promise<void> {
  await db
    .updateTable('mcp_connections')
    .set({ closed_at: at })
    .where('id', '=', id)
    .where('closed_at', 'is', null)
    .execute()
}

export async function findConnection(db: Executor, id: string): Promise<Connection | undefined> {
  const row = await db.selectFrom('mcp_connections').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toConnection(row)
}

export async function openConnectionsOf(db: Executor, sessionId: SessionId): Promise<Connection[]> {
  const rows = await db
    .selectFrom('mcp_connections')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('closed_at', 'is', null)
    .orderBy('created_at')
    .execute()
  return rows.map(toConnection)
}

type Slots = Readonly<Record<string, never>>
const eventFields = ['connectionId', 'streamId', 'seq', 'message', 'at'] as const

/** Statements for so many rows: otherwise nearly every batch would need a statement of its own. */
const inserts = [64, 8, 1].map((count) => ({
  count,
  insert: prepare<Record<string, unknown>>()((db, given) => {
    const slots = given as Slots
    const rows = Array.from({ length: count }, (_none, row) => ({
      connection_id: slots[`connectionId${row}`] as never,
      stream_id: slots[`streamId${row}`] as never,
      seq: slots[`seq${row}`] as never,
      message: slots[`message${row}`] as never,
      at: slots[`at${row}`] as never,
    }))
    return db
      .insertInto('mcp_events')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
  }),
}))
const deleteRequest = prepare<StreamName>()((db, slots) =>
  db
    .deleteFrom('mcp_events')
    .where('connection_id', '=', slots.connectionId)
    .where('stream_id', '=', slots.streamId)
    .where('seq', '=', 0),
)

/** Existing rows are kept: a batch is written again if its confirmation was lost. */
export async function appendEvents(
  tx: Tx,
  events: readonly StreamEvent[],
  answered: readonly StreamName[],
): Promise<void> {
  let done = 0
  for (const { count, insert } of inserts)
    for (; events.length - done >= count; done += count) {
      const rows = events.slice(done, done + count)
      await insert(
        tx,
        Object.fromEntries(rows.flatMap((row, at) => eventFields.map((name) => [`${name}${at}`, row[name]]))),
      )
    }
  for (const { connectionId, streamId } of answered) await deleteRequest(tx, { connectionId, streamId })
}

export async function eventsFrom(db: Executor, stream: StreamName, seq: number): Promise<StreamEvent[]> {
  const rows = await db
    .selectFrom('mcp_events')
    .selectAll()
    .where('connection_id', '=', stream.connectionId)
    .where('stream_id', '=', stream.streamId)
    .where('seq', '>=', seq)
    .orderBy('seq')
    .execute()
  return rows.map((row) => ({
    connectionId: row.connection_id,
    streamId: row.stream_id,
    seq: row.seq,
    message: row.message,
    at: row.at,
  }))
}

/** An open connection is kept as long as any of its events is. */
export async function forgetConnections(tx: Tx, before: string): Promise<void> {
  await tx.deleteFrom('client_contacts').where('at', '<', before).execute()
  await tx
    .deleteFrom('mcp_events')
    .where('at', '<', before)
    // An unanswered request is kept as long as its client is connected.
    .where((is) =>
      is.or([
        is('seq', '>', 0),
        is('connection_id', 'in', is.selectFrom('mcp_connections').select('id').where('last_seen_at', '<', before)),
      ]),
    )
    .execute()
  await tx
    .deleteFrom('mcp_connections')
    .where('last_seen_at', '<', before)
    .where((is) =>
      is.not(
        is.exists(
          is.selectFrom('mcp_events').select('seq').whereRef('mcp_events.connection_id', '=', 'mcp_connections.id'),
        ),
      ),
    )
    .execute()
}

export async function moveConnection(db: Executor, id: string, sessionId: SessionId): Promise<void> {
  await db.updateTable('mcp_connections').set({ session_id: sessionId }).where('id', '=', id).execute()
}

export async function noteContact(
  db: Executor,
  sessions: readonly SessionId[],
  node: string,
  at: string,
): Promise<void> {
  for (const session_id of sessions)
    await db
      .insertInto('client_contacts')
      .values({ session_id, node_id: node, at })
      .onConflict((conflict) => conflict.columns(['session_id', 'node_id']).doUpdateSet({ at }))
      .execute()
}
