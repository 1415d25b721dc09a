import type Sqlite from 'better-sqlite3'
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type Dialect,
  type QueryResult,
} from 'kysely'
import type { Executor } from './open.ts'

/**
 * Kysely over one better-sqlite3 connection: statements are prepared once, and transactions take the write lock when they
 * begin (a deferred one fails where it should wait).
 */
export function sqliteDialect(database: Sqlite.Database): Dialect {
  const statements = createStatements(database)
  const adapter = new OwnLine()
  direct.set(adapter, { ...statements, readonly: database.readonly })
  return {
    createAdapter: () => adapter,
    createDriver: () => sqliteDriver(database, statements),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Who comes when is decided by the driver below: Kysely would let nobody in before the one before them is committed. */
class OwnLine extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

type Statements = {
  prepared(sql: string): Sqlite.Statement<unknown[]>
  all<R>(sql: string, parameters: readonly unknown[]): R[]
}

const direct = new WeakMap<DialectAdapter, Statements & { readonly: boolean }>()

/** The connection itself, where its turn is ours already: inside a transaction, or where nobody writes. */
export function directConnection(db: Executor): Statements | undefined {
  const found = direct.get(db.getExecutor().adapter)
  return found && (found.readonly || db.isTransaction) ? found : undefined
}

function createStatements(database: Sqlite.Database): Statements {
  const cache = new Map<string, Sqlite.Statement<unknown[]>>()
  function prepared(sql: string): Sqlite.Statement<unknown[]> {
    let found = cache.get(sql)
    if (found === undefined) {
      found = database.prepare<unknown[]>(sql)
      // Lists of differing length make differing SQL: the cache must not grow with them.
      if (cache.size > 500) cache.clear()
      cache.set(sql, found)
    }
    return found
  }
  return {
    prepared,
    all<R>(sql: string, parameters: readonly unknown[]): R[] {
      const statement = prepared(sql)
      if (statement.reader) return statement.all(...parameters) as R[]
      statement.run(...parameters)
      return []
    },
  }
}

/** Transactions that share one commit, and so one wait for the disk. */
type Batch = { size: number; readonly committed: PromiseWithResolvers<void> }

/** How long transactions follow each other; then the rest of the server has its turn. */
const longestMs = 8
const largestBatch = 64

/**
 * Whoever comes second waits in line. If somebody waits when a transaction ends, theirs goes on in the same transaction of
 * SQLite, in a savepoint, and one commit is for all of them: nobody is told of theirs before it.
 */
function sqliteDriver(database: Sqlite.Database, statements: Statements): Driver {
  const line: (() => void)[] = []
  let taken = false
  let batch: Batch | null = null
  /** When the first of those began that followed each other without a break. */
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

  /** Whether this thread has written for so long that whatever else waits for it comes first. */
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
    if (long || line.length === 0 || (batch && batch.size >= largestBatch)) commitBatch()
    const next = line.shift()
    if (!next) taken = false
    else if (long) setImmediate(next)
    else next()
  }

  class Turn implements DatabaseConnection {
    state: 'single' | 'first' | 'joined' | 'over' = 'single'

    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      // What is not in a transaction is told of at once, so nothing of others may still be open then.
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
      // Nobody may be waiting for it when it fails.
      batch.committed.promise.catch(() => {})
      this.state = 'first'
    }

    commit(): Promise<void> {
      if (!batch) throw new Error('the transaction is not there any more')
      if (this.state === 'joined') release.run()
      this.state = 'over'
      batch.size += 1
      const { promise } = batch.committed
      passOn()
      return promise
    }

    rollback(): void {
      const { state } = this
      this.state = 'single'
      if (state === 'over') this.state = 'over'
      else if (!database.inTransaction) abandon()
      else if (state === 'joined') {
        undo.run()
        release.run()
      } else {
        rollback.run()
        batch = null
      }
    }
  }

  /** A full disk or an I/O error makes SQLite roll back by itself, with all that others had done in the same batch. */
  function abandon(): void {
    const lost = Object.assign(new Error('the transaction was rolled back'), { code: 'SQLITE_BUSY_ROLLED_BACK' })
    batch?.committed.reject(lost)
    batch = null
  }

  const turnOf = (connection: DatabaseConnection): Turn => connection as Turn

  return {
    async init() {},
    async acquireConnection() {
      if (taken) await new Promise<void>((resolve) => line.push(resolve))
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
      // After a commit it was passed on already.
      if (turnOf(connection).state !== 'over') passOn()
    },
    async destroy() {
      database.close()
    },
  }
}
