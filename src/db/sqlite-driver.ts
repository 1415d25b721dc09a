import type Sqlite from 'better-sqlite3'
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely'

/**
 * Kysely over one better-sqlite3 connection: statements are prepared once, transactions take the write lock when they
 * begin (a deferred one fails where it should wait), and whoever comes second waits in line.
 */
export function sqliteDialect(database: Sqlite.Database): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => sqliteDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function sqliteDriver(database: Sqlite.Database): Driver {
  const connection = sqliteConnection(database)
  let last: Promise<void> = Promise.resolve()
  const releases: (() => void)[] = []
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  return {
    async init() {},
    async acquireConnection() {
      const turn = Promise.withResolvers<void>()
      const before = last
      last = turn.promise
      await before
      releases.push(turn.resolve)
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

function sqliteConnection(database: Sqlite.Database): DatabaseConnection {
  const prepared = new Map<string, Sqlite.Statement<unknown[]>>()
  const statement = (sql: string) => {
    let found = prepared.get(sql)
    if (found === undefined) {
      found = database.prepare<unknown[]>(sql)
      // Lists of differing length make differing SQL: the cache must not grow with them.
      if (prepared.size > 500) prepared.clear()
      prepared.set(sql, found)
    }
    return found
  }
  return {
    async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const found = statement(sql)
      if (found.reader) return { rows: found.all(...parameters) as R[] }
      const { changes } = found.run(...parameters)
      return { rows: [], numAffectedRows: BigInt(changes) }
    },
    streamQuery() {
      throw new Error('rows are read in pages here, not streamed')
    },
  }
}
