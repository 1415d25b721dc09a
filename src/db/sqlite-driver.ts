import type Sqlite from 'better-sqlite3'
import {
  SqliteAdapter,
  SqliteIntrospector,
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type Dialect,
  type QueryResult,
} from 'kysely'
import { LiteralLimitCompiler } from './sqlite-compiler.ts'
import { createStatements, foreignWrites, setDirect, type Statements } from './statements.ts'

/**
 * Kysely over one better-sqlite3 connection, for writes. Statements are prepared once, and transactions take the write lock
 * when they begin: a deferred one would fail where it should wait.
 */
export function sqliteDialect(database: Sqlite.Database): Dialect {
  const statements = createStatements(database)
  const adapter = new QueuedAdapter()
  setDirect(adapter, { ...statements, readonly: false, foreign: foreignWrites(database) })
  return {
    createAdapter: () => adapter,
    createDriver: () => sqliteDriver(database, statements),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LiteralLimitCompiler(),
  }
}

/** The driver below orders callers; Kysely would admit each only after the commit of the one before. */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Transactions that share one commit, and so one wait for the disk. */
type Batch = { size: number; readonly committed: PromiseWithResolvers<void> }

/** How long transactions may follow each other before the rest of the server gets a turn. */
const longestMs = 8
const largestBatch = 64

/**
 * Callers wait in a queue. If one is waiting when a transaction ends, its transaction runs as a savepoint of the same
 * SQLite transaction. One commit covers all of them, and none of them resolves before it.
 */
function sqliteDriver(database: Sqlite.Database, statements: Statements): Driver {
  const waiting: (() => void)[] = []
  let taken = false
  let batch: Batch | null = null
  /** When the current uninterrupted run of transactions began. */
  let since: number | null = null
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  const save = database.prepare('savepoint joined')
  const release = database.prepare('release joined')
  const undo = database.prepare('rollback to joined')

  function commitBatch(): void {
    const ending = batch
    batch = null
    if (!ending) return
    try {
      commit.run()
      ending.committed.resolve()
    } catch (error) {
      if (database.inTransaction) rollback.run()
      ending.committed.reject(error)
    }
  }

  /** Whether this thread has been writing so long that other work must run first. */
  function isLong(): boolean {
    const now = performance.now()
    if (since === null) {
      since = now
      setImmediate(() => (since = null))
    }
    return now - since >= longestMs
  }

  function passOn(): void {
    const long = isLong()
    if (long || waiting.length === 0 || (batch && batch.size >= largestBatch)) commitBatch()
    const next = waiting.shift()
    if (!next) taken = false
    else if (long) setImmediate(next)
    else next()
  }

  class Turn implements DatabaseConnection {
    state: 'single' | 'first' | 'joined' | 'over' = 'single'

    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // A single statement resolves at once, so no transaction of others may still be uncommitted.
      if (this.state === 'single') commitBatch()
      const statement = statements.prepared(sql)
      if (statement.reader) return { rows: statement.all(...parameters) as R[] }
      const { changes } = statement.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    }

    streamQuery(): never {
      throw new Error('rows are read in pages here, not streamed')
    }

    begin(): void {
      if (batch) {
        save.run()
        this.state = 'joined'
        return
      }
      begin.run()
      batch = { size: 0, committed: Promise.withResolvers() }
      // It may fail with nobody waiting for it.
      batch.committed.promise.catch(() => {})
      this.state = 'first'
    }

    commit(): Promise<void> {
      if (!batch) throw new Error('the transaction has already ended')
      if (this.state === 'joined') release.run()
      this.state = 'over'
      batch.size += 1
      const { promise } = batch.committed
      passOn()
      return promise
    }

    rollback(): void {
      const { state } = this
      if (state === 'over') return
      this.state = 'single'
      if (!database.inTransaction) abandon()
      else if (state === 'joined') {
        undo.run()
        release.run()
      } else {
        rollback.run()
        batch = null
      }
    }
  }

  /** On a full disk or an I/O error, SQLite rolls back the whole batch, including other callers' transactions. */
  function abandon(): void {
    const lost = Object.assign(new Error('the transaction was rolled back'), { code: 'SQLITE_BUSY_ROLLED_BACK' })
    batch?.committed.reject(lost)
    batch = null
  }

  const turnOf = (connection: DatabaseConnection): Turn => connection as Turn

  return {
    async init() {},
    async acquireConnection() {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve))
      else {
        taken = true
        if (isLong()) await new Promise((resolve) => setImmediate(resolve))
      }
      return new Turn()
    },
    async beginTransaction(connection) {
      turnOf(connection).begin()
    },
    commitTransaction: async (connection) => turnOf(connection).commit(),
    async rollbackTransaction(connection) {
      turnOf(connection).rollback()
    },
    async releaseConnection(connection) {
      // After a commit the turn has already been passed on.
      if (turnOf(connection).state !== 'over') passOn()
    },
    async destroy() {
      database.close()
    },
  }
}
