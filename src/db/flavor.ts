import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import { tookTooLong, tooManyWait } from './long-queries.ts'
import type { Fault } from '../lib/result.ts'
import type { Tx } from './open.ts'

/** A position in the log: events at or before it were seen. */
export type Position = { readonly tx: number; readonly seq: number }

/** Every difference between the two databases that is not just SQL text. */
export type Flavor = {
  readonly name: 'sqlite' | 'postgres'
  /** One writer at a time: its transaction is the only lock, and its events are settled when committed. */
  readonly oneWriter: boolean
  /** Serializes the commands of these streams. Called before the first write; always locks in the same order. */
  lock(tx: Tx, streams: readonly string[]): Promise<void>
  /** Condition on `events`: after this position, and settled (no earlier event can still be committed). */
  settledAfter(position: Position): RawBuilder<boolean>
  /** The order of the log, and its reverse. */
  readonly eventOrder: RawBuilder<unknown>
  readonly newestFirst: RawBuilder<unknown>
  before(position: Position): RawBuilder<boolean>
  /** The position after which everything is new. */
  readonly head: RawBuilder<Position>
  isTransient(error: unknown): boolean
  /** Whether a constraint refused the change. The command is then decided again and finds the reason. */
  isConstraint(error: unknown): boolean
  /** Why the database can't accept changes now, as text for a person. */
  refusal(error: unknown): Fault | null
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const unavailable = (code: string, message: string, hint: string): Fault => ({
  kind: 'unavailable',
  code,
  message,
  hint,
})
const full = unavailable(
  'database_full',
  'The disk of the database is full; nothing was changed.',
  'Free some space, then try again.',
)
const readOnly = unavailable(
  'database_read_only',
  'The database can only be read; nothing was changed.',
  'Check the permissions of its files and folder.',
)
const busy = unavailable(
  'database_busy',
  'No connection to PostgreSQL was free for ten seconds. Nothing was changed.',
  'Try again; if it happens often, raise pool_size under [database].',
)
const tooLong = unavailable('took_too_long', 'Too much to search.', 'Narrow it: a session, a time or more words.')
const tooMany = unavailable('too_many_searches', 'Too many searches are running.', 'Try again in a few seconds.')
const notSetUp = (message: string, hint: string) =>
  unavailable('database_not_set_up', `PostgreSQL says: ${message}`, hint)
const away = (message: string) =>
  unavailable(
    'database_unavailable',
    message,
    'Run signalbox doctor, then try again. With the same Idempotency-Key this is safe.',
  )

export const sqliteFlavor: Flavor = {
  name: 'sqlite',
  oneWriter: true,
  async lock() {},
  settledAfter: ({ seq }) => sql<boolean>`seq > ${seq}`,
  eventOrder: sql`seq`,
  newestFirst: sql`seq desc`,
  before: ({ seq }) => sql<boolean>`seq < ${seq}`,
  head: sql<Position>`select 0 as tx, coalesce(max(seq), 0) as seq from events`,
  isTransient: (error) => codeOf(error).startsWith('SQLITE_BUSY'),
  isConstraint: (error) => /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(codeOf(error)),
  refusal(error) {
    const code = codeOf(error)
    if (code === tookTooLong) return tooLong
    if (code === tooManyWait) return tooMany
    if (code === 'SQLITE_FULL') return full
    if (code.startsWith('SQLITE_READONLY')) return readOnly
    if (code.startsWith('SQLITE_BUSY')) return away('Another program holds the database file.')
    return code.startsWith('SQLITE_IOERR') || code === 'SQLITE_CANTOPEN' || code.startsWith('SQLITE_CORRUPT')
      ? away(`The database file can't be used (${code}).`)
      : null
  },
}

const lockKey = (stream: string): bigint => createHash('sha256').update(stream).digest().readBigInt64BE()

// Sequence numbers are handed out before commit, so an event is settled only below the oldest running transaction.
const horizon = sql`(pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (select n from log_offset))`

export const postgresFlavor: Flavor = {
  name: 'postgres',
  oneWriter: false,
  async lock(tx, streams) {
    // Advisory locks: a row lock would be a write and fix the transaction's position in the log.
    const keys = [...new Set(streams.map(lockKey))].toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    for (const key of keys) await sql`select pg_advisory_xact_lock(${key.toString()}::bigint)`.execute(tx)
  },
  settledAfter: ({ tx, seq }) => sql<boolean>`(tx, seq) > (${tx}, ${seq}) and tx < ${horizon}`,
  eventOrder: sql`tx, seq`,
  newestFirst: sql`tx desc, seq desc`,
  before: ({ tx, seq }) => sql<boolean>`(tx, seq) < (${tx}, ${seq})`,
  // Every running transaction is at or above the horizon, so this misses nothing that is still unsettled.
  head: sql<Position>`select ${horizon} - 1 as tx, 9007199254740991 as seq`,
  // "not queryable": the connection was lost before this statement, so nothing of the transaction was committed.
  isTransient: (error) =>
    /^(40001|40P01|57P01|25P03|08\w{3})$/.test(codeOf(error)) ||
    (error instanceof Error && error.message.includes('is not queryable')),
  isConstraint: (error) => codeOf(error) === '23505',
  refusal(error) {
    const code = codeOf(error)
    if (code === '57014') return tooLong
    if (code === tooManyWait) return tooMany
    if (code === '53100') return full
    if (code === '25006') return readOnly
    const said = error instanceof Error ? error.message : ''
    if (code === '3D000') return notSetUp(`${said}.`, 'Create it: createdb NAME, owned by the user of database.url.')
    if (code === '28P01' || code === '28000') return notSetUp(`${said}.`, 'Check user and password in database.url.')
    if (said.includes('timeout exceeded when trying to connect')) return busy
    return /^(ECONN\w+|ENOTFOUND|EPIPE|ETIMEDOUT|57P0\d|08\w{3}|53300)$/.test(code) ||
      /Connection terminated|is not queryable/.test(said)
      ? away(`PostgreSQL does not answer (${code || 'connection lost'}).`)
      : null
  },
}
