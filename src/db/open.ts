import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type Sqlite from 'better-sqlite3'
import { Kysely, PostgresDialect, type Dialect, type Transaction } from 'kysely'
import { asideDialect, inTurns, longestLookMs } from './aside.ts'
import { postgresFlavor, sqliteFlavor, type Flavor } from './flavor.ts'
import { sqliteDialect } from './sqlite-driver.ts'
import type { Tables } from './tables.ts'

export type Db = Kysely<Tables>
export type Tx = Transaction<Tables>
/** Anything SQL can be run on: functions that only read take this. */
export type Executor = Db | Tx

export type Database = {
  /** Changes, one transaction at a time on SQLite. */
  readonly write: Db
  /** Looks: on SQLite a connection of its own, so that nobody who reads waits for a writer. */
  readonly read: Db
  /** Looks that may take long, such as searches: on SQLite in a thread of its own, on both no longer than some seconds. */
  readonly aside: Db
  readonly flavor: Flavor
  readonly sqlite: Sqlite.Database | null
  /** Changes whenever anybody commits something; null if that can't be told without asking the database. */
  version(): number | null
  /** Whether the file is still the one that was opened; looked at once a second at most. */
  intact(): boolean
  close(): Promise<void>
}

export type SqliteOptions = { file: string; synchronous: 'full' | 'normal' }
export type PostgresOptions = { url: string; poolSize: number }

/** Waiting stops the whole server, so it is short; dispatch tries again without holding anyone up. */
const briefMs = 50
const asideConnections = 2
const patientMs = 30_000

/** For what is done before anybody is served: another process may be at it, too. */
export async function patiently<T>({ sqlite }: Pick<Database, 'sqlite'>, work: () => Promise<T>): Promise<T> {
  sqlite?.pragma(`busy_timeout = ${patientMs}`)
  try {
    return await work()
  } finally {
    sqlite?.pragma(`busy_timeout = ${briefMs}`)
  }
}

export async function openSqlite({ file, synchronous }: SqliteOptions): Promise<Database> {
  const { default: SqliteDatabase } = await import('better-sqlite3')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // SQLite gives its other files the mode of this one.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const open = (readonly: boolean) => {
    const connection = new SqliteDatabase(file, { readonly })
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
  const read = new Kysely<Tables>({ dialect: sqliteDialect(reader) })
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
      // So that a connection whose other end is gone without a word ends too.
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    // Without a listener, a connection lost while idle would end the process; the pool replaces it by itself.
    pool.on('error', () => {})
    // Nor may one that is lost between two statements of a transaction: its next statement says so.
    pool.on('connect', (client) => client.on('error', () => {}))
    return new PostgresDialect({ pool })
  }
  // A transaction of a node that is paused or cut off would hold back every follower, and the next holder of its leases.
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

/** A file that was moved or deleted can still be written to; what is written there is lost. */
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
