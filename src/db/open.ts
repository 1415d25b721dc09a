import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, type Dialect, type Transaction } from 'kysely'
import { asideDialect, inTurns, longestLookMs } from './long-queries.ts'
import { postgresFlavor, sqliteFlavor, type Flavor } from './flavor.ts'
import { sqliteDialect } from './sqlite-driver.ts'
import { openSqliteFile } from './sqlite-file.ts'
import { sqliteReadDialect } from './sqlite-reads.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>
/** Anything that can run SQL: functions that only read take this. */
export type Executor = Db | Tx

export type Database = {
  /** Writes; on SQLite one transaction at a time. */
  readonly write: Db
  /** Reads. They see what is committed, and never wait for a writer. */
  readonly read: Db
  /** Reads that may be slow, such as searches, with a time limit; on SQLite in a separate thread. */
  readonly aside: Db
  readonly flavor: Flavor
  readonly sqlite: Sqlite.Database | null
  /** Changes with every commit; null if that can't be known without querying the database. */
  version(): number | null
  /** Whether the file is still the one that was opened; checked at most once a second. */
  intact(): boolean
  close(): Promise<void>
}

export type SqliteOptions = { file: string; synchronous: 'full' | 'normal' }
export type PostgresOptions = { url: string; poolSize: number }

/** Waiting blocks the whole server, so the limit is short; dispatch retries without blocking. */
const briefMs = 50
const asideConnections = 2
const patientMs = 30_000

/** For work before the server accepts requests: another process may be doing the same. */
export async function patiently<T>({ sqlite }: Pick<Database, 'sqlite'>, work: () => Promise<T>): Promise<T> {
  sqlite?.pragma(`busy_timeout = ${patientMs}`)
  try {
    return await work()
  } finally {
    sqlite?.pragma(`busy_timeout = ${briefMs}`)
  }
}

export async function openSqlite({ file, synchronous }: SqliteOptions): Promise<Database> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite creates its other files with the mode of this one.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const open = (readonly: boolean) => {
    const connection = openSqliteFile(file, { readonly })
    connection.pragma(`busy_timeout = ${briefMs}`)
    connection.pragma('foreign_keys = ON')
    connection.pragma('cache_size = -16000')
    if (!readonly) {
      connection.pragma('journal_mode = WAL')
      connection.pragma(`synchronous = ${synchronous === 'full' ? 'FULL' : 'NORMAL'}`)
    }
    return connection
  }
  const writer = open(false)
  const write = new Kysely<Tables>({ dialect: sqliteDialect(writer) })
  const reader = open(true)
  const read = new Kysely<Tables>({ dialect: sqliteReadDialect({ reader, writer }) })
  const dataVersion = reader.prepare<[], number>('pragma data_version').pluck()
  const version = () => dataVersion.get() ?? null
  const aside = new Kysely<Tables>({ dialect: asideDialect(file) })
  const close = async () => {
    await aside.destroy()
    await read.destroy()
    await write.destroy()
  }
  return { write, read, aside, flavor: sqliteFlavor, sqlite: writer, version, intact: watchFile(file), close }
}

export async function openPostgres({ url, poolSize }: PostgresOptions): Promise<Database> {
  const { default: pg } = await import('pg')
  const int8 = 20
  pg.types.setTypeParser(int8, Number)
  const connect = (max: number, option: string): Dialect => {
    const pool = new pg.Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: 10_000,
      application_name: 'signalbox',
      options: `-c ${option}`,
      // Detects connections whose other end disappeared silently.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    // Without a listener, losing an idle connection would end the process; the pool replaces it automatically.
    pool.on('error', () => {})
    // The same for a connection lost between two statements of a transaction: the next statement reports it.
    pool.on('connect', (client) => client.on('error', () => {}))
    return new PostgresDialect({ pool })
  }
  // An open transaction of a paused or cut-off node would block every follower and the next holder of its leases.
  const db = new Kysely<Tables>({ dialect: connect(poolSize, 'idle_in_transaction_session_timeout=10000') })
  const patient = connect(asideConnections, `statement_timeout=${longestLookMs}`)
  const aside = new Kysely<Tables>({ dialect: inTurns(patient, asideConnections) })
  const close = async () => {
    await aside.destroy()
    await db.destroy()
  }
  return {
    write: db,
    read: db,
    aside,
    flavor: postgresFlavor,
    sqlite: null,
    version: () => null,
    intact: () => true,
    close,
  }
}

/** Writes to a moved or deleted file succeed, but are lost. */
function watchFile(file: string): () => boolean {
  const { ino } = statSync(file)
  let lookedAt = 0
  let same = true
  return () => {
    const now = Date.now()
    if (now - lookedAt >= 1000) {
      lookedAt = now
      same = statSync(file, { throwIfNoEntry: false })?.ino === ino
    }
    return same
  }
}
