import type Sqlite from 'better-sqlite3'
import type { DialectAdapter } from 'kysely'
import type { Executor } from './open.ts'

/** The statements of a connection, each prepared once. */
export type Statements = {
  prepared(sql: string): Sqlite.Statement<unknown[]>
  all<R>(sql: string, parameters: readonly unknown[]): R[]
}

export function createStatements(database: Sqlite.Database): Statements {
  const cache = new Map<string, Sqlite.Statement<unknown[]>>()
  function prepared(sql: string): Sqlite.Statement<unknown[]> {
    let found = cache.get(sql)
    if (found === undefined) {
      found = database.prepare<unknown[]>(sql)
      // Lists of different lengths produce different SQL, so the cache needs a limit.
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

type Direct = Pick<Statements, 'all'> & {
  readonly: boolean
  /** Changes when another process has written to the file. */
  foreign(): number
}

/**
 * Tells of writes that did not come through this connection. SQLite is asked once in a turn of the event loop: asking costs as much
 * as a small query, and whoever wrote before sending a request is heard in a later turn.
 */
export function foreignWrites(writer: Sqlite.Database): () => number {
  const version = writer.prepare<[], number>('pragma data_version').pluck()
  let known: number | undefined
  return () => {
    if (known !== undefined) return known
    setImmediate(() => (known = undefined))
    return (known = version.get() ?? 0)
  }
}

const direct = new WeakMap<DialectAdapter, Direct>()

/** Lets prepared queries skip Kysely's driver. */
export const setDirect = (adapter: DialectAdapter, statements: Direct): void => void direct.set(adapter, statements)

/** The statements to use directly if no turn is needed: inside a transaction, or on a database for reading. */
export function directStatements(db: Executor): Direct | undefined {
  const found = direct.get(db.getExecutor().adapter)
  return found && (found.readonly || db.isTransaction) ? found : undefined
}
