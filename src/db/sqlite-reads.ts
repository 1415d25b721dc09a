import type Sqlite from 'better-sqlite3'
import { SqliteAdapter, SqliteIntrospector, type DatabaseConnection, type Dialect, type Driver } from 'kysely'
import { LiteralLimitCompiler } from './sqlite-compiler.ts'
import { createStatements, foreignWrites, setDirect, type Statements } from './statements.ts'

/**
 * Kysely for reads. They run on the writer's connection while it has no transaction, and on the reader's otherwise, so that
 * nobody sees what is not committed. SQLite drops all cached pages of a connection when another one commits: after each
 * write the reader would load every page again, and the writer has them.
 */
export function sqliteReadDialect({ reader, writer }: Record<'reader' | 'writer', Sqlite.Database>): Dialect {
  const [ofReader, ofWriter] = [createStatements(reader), readOnly(createStatements(writer))]
  const all = <R>(sql: string, parameters: readonly unknown[]): R[] =>
    (writer.inTransaction ? ofReader : ofWriter).all(sql, parameters)
  const adapter = new UnqueuedAdapter()
  setDirect(adapter, { all, readonly: true, foreign: foreignWrites(writer) })
  return {
    createAdapter: () => adapter,
    createDriver: () => readDriver(all, () => reader.close()),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new LiteralLimitCompiler(),
  }
}

/** Reads need no turn: each statement runs at once. */
class UnqueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

const readOnly = ({ prepared }: Statements): Pick<Statements, 'all'> => ({
  all<R>(sql: string, parameters: readonly unknown[]): R[] {
    const statement = prepared(sql)
    if (!statement.readonly) throw new Error(`not a read: ${sql}`)
    return statement.all(...parameters) as R[]
  },
})

function readDriver(all: Statements['all'], close: () => void): Driver {
  const connection: DatabaseConnection = {
    executeQuery: async ({ sql, parameters }) => ({ rows: all(sql, parameters) }),
    streamQuery() {
      throw new Error('rows are read in pages here, not streamed')
    },
  }
  const refuse = async () => {
    throw new Error('a transaction needs the database for writing')
  }
  return {
    async init() {},
    acquireConnection: async () => connection,
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    async releaseConnection() {},
    async destroy() {
      close()
    },
  }
}
