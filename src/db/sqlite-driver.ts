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
import { createSerialQueue } from '../lib/serial-queue.ts'

/**
 * Kysely over one better-sqlite3 connection: statements are prepared once, transactions take the write lock when they
 * begin (a deferred one fails where it should wait), and whoever comes second waits in line.
 */
export function sqliteDialect(database: Sqlite.Database): Dialect {
  const statements = createStatements(database)
  const adapter = new SqliteAdapter()
  direct.set(adapter, { ...statements, readonly: database.readonly })
  return {
    createAdapter: () => adapter,
    createDriver: () => sqliteDriver(database, statements),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
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

function sqliteDriver(database: Sqlite.Database, statements: Statements): Driver {
  const connection = sqliteConnection(statements)
  const queue = createSerialQueue()
  const releases: (() => void)[] = []
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  return {
    async init() {},
    async acquireConnection() {
      releases.push(await queue.take())
      return connection
    },
    async beginTransaction() {
      begin.run()
    },
    async commitTransaction() {
      commit.run()
    },
    async rollbackTransaction() {
      // A full disk or an I/O error makes SQLite roll back by itself.
      if (database.inTransaction) rollback.run()
    },
    async releaseConnection() {
      releases.shift()?.()
    },
    async destroy() {
      database.close()
    },
  }
}

function sqliteConnection(statements: Statements): DatabaseConnection {
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const statement = statements.prepared(sql)
      if (statement.reader) return { rows: statement.all(...parameters) as R[] }
      const { changes } = statement.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    },
    streamQuery() {
      throw new Error('rows are read in pages here, not streamed')
    },
  }
}
