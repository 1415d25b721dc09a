import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import type { Server } from '../support/server.ts'

/** Rows as after years of use, written directly to the database: requests would take hours. */
export type LargeDatabase = {
  /** The person with most of it. */
  readonly ownerId: string
  /** Their session with most of the messages. */
  readonly longSession: string
}

type Write = (table: string, rows: readonly Record<string, unknown>[]) => Promise<void>

export async function fillDatabase(
  server: Server,
  { ownerId, sessions, messages, events }: { ownerId: string; sessions: number; messages: number; events: number },
): Promise<LargeDatabase> {
  const at = (n: number) => new Date(Date.UTC(2025, 0, 1) + n * 1000).toISOString()
  const ids = Array.from({ length: sessions }, () => randomUUID())
  const longSession = ids[0] ?? ''
  const text = (n: number) => `common words of message ${n}, ${'which go on for a while '.repeat(6)}`
  await writing(server, async (write) => {
    await write(
      'sessions',
      ids.map((id, n) => ({
        id,
        owner_user_id: ownerId,
        status: 'completed',
        prompt: `A prompt ${n} ${'with a few lines of text '.repeat(20)}`,
        workspace_root: '/srv/place',
        created_at: at(n),
        updated_at: at(n),
      })),
    )
    const said = Array.from({ length: messages }, (_, n) => ({ id: randomUUID(), text: text(n), at: at(n) }))
    await write(
      'messages',
      said.map(({ id, text: words, at: timestamp }) => ({
        id,
        session_id: longSession,
        role: 'agent',
        content: JSON.stringify({ type: 'text', text: words }),
        timestamp,
      })),
    )
    await write(
      'message_words',
      said.map(({ id, text: words }) => ({ message_id: id, session_id: longSession, words })),
    )
    await write(
      'events',
      Array.from({ length: events }, (_, n) => ({
        id: randomUUID(),
        at: new Date().toISOString(),
        type: 'message.added',
        actor: `user:${ownerId}`,
        stream: longSession,
        session_id: longSession,
        owner_user_id: ownerId,
        visibility: 'owner',
        data: JSON.stringify({ id: said[n % messages]?.id, sessionId: longSession, role: 'agent', bytes: n }),
      })),
    )
  })
  return { ownerId, longSession }
}

async function writing(server: Server, work: (write: Write) => Promise<void>): Promise<void> {
  if (server.databaseUrl !== null) {
    const client = new pg.Client({ connectionString: server.databaseUrl })
    await client.connect()
    await client.query('begin')
    await work(async (table, rows) => {
      for (let from = 0; from < rows.length; from += 1000)
        await client.query(
          `insert into ${table} (${Object.keys(rows[0] ?? {}).join(', ')})
           select ${Object.keys(rows[0] ?? {}).join(', ')} from json_populate_recordset(null::${table}, $1)`,
          [JSON.stringify(rows.slice(from, from + 1000))],
        )
    })
    await client.query('commit')
    await client.end()
    return
  }
  const db = new SqliteDatabase(join(server.home, 'signalbox.db'))
  db.pragma('busy_timeout = 30000')
  db.exec('begin immediate')
  await work(async (table, rows) => {
    const columns = Object.keys(rows[0] ?? {})
    const insert = db.prepare(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map((name) => `@${name}`).join(', ')})`,
    )
    for (const row of rows) insert.run(row)
  })
  db.exec('commit')
  db.close()
}
