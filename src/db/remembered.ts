import type { Executor } from './open.ts'
import { directStatements } from './statements.ts'

type Query<V, R> = (db: Executor, values: V) => Promise<R[]>
type Memory<R> = { readonly age: number; readonly foreign: number; readonly rows: Map<string, readonly R[]> }

/** More than a server has people, repos or workspaces in use. */
const mostKept = 2000

/** Changes of these tables that are not yet committed, in any database of this process. */
let changing = 0
let age = 0

/**
 * The same query, for tables that most commands read and few change: people, their roles, repos. On SQLite this server
 * alone writes them, so rows are kept until a command changes such a table (`tablesChange`) or another process has written to
 * the file. Callers share the rows. On PostgreSQL each call is a query.
 */
export function remembered<V extends object, R>(query: Query<V, R>): Query<V, R> {
  const memories = new WeakMap<object, Memory<R>>()
  return async (db, values) => {
    const direct = directStatements(db)
    // Within a change, and until it is committed or rolled back, everybody asks the database.
    if (!direct || changing > 0) return query(db, values)
    const { adapter } = db.getExecutor()
    const foreign = direct.foreign()
    let memory = memories.get(adapter)
    if (memory?.age !== age || memory.foreign !== foreign || memory.rows.size >= mostKept) {
      memory = { age, foreign, rows: new Map() }
      memories.set(adapter, memory)
    }
    const key = Object.values(values).join('\0')
    const known = memory.rows.get(key)
    if (known) return known as R[]
    const rows = await query(db, values)
    if (changing === 0 && memory.age === age) memory.rows.set(key, rows)
    return rows
  }
}

/** Called before a change of such a table is written; disposed after its transaction has ended, in whatever way. */
export function tablesChange(): Disposable {
  changing += 1
  return {
    [Symbol.dispose]() {
      changing -= 1
      age += 1
    },
  }
}
