import type { CompiledQuery } from 'kysely'
import type { Executor } from './open.ts'
import { directStatements } from './statements.ts'
import type { Tables } from './tables.ts'

/** A placeholder for a value that is known only when the query runs. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

type Compilable<R> = { compile(): CompiledQuery<R> }
type Slots<V> = { readonly [K in keyof V]: V[K] }
type Bind<V> = (values: V) => unknown[]

/**
 * A query that is built and compiled once per database, then run with values, so that only the first use pays for the
 * builder. `prepare<{ id: AskId }>()((db, slots) => …)`; a slot marks the place of its value.
 */
export const prepare =
  <V extends object>() =>
  <R>(build: (db: Executor, slots: Slots<V>) => Compilable<R>): ((db: Executor, values: V) => Promise<R[]>) => {
    const compiled = new WeakMap<object, { query: CompiledQuery<R>; bind: Bind<V> }>()
    const slots = new Proxy({} as Slots<V>, { get: (_target, name) => new Slot(String(name)) })
    return async (db, values) => {
      // A database and all its transactions share one adapter object.
      const { adapter } = db.getExecutor()
      let found = compiled.get(adapter)
      if (found === undefined) {
        const query = build(db, slots).compile()
        found = { query, bind: binder<V>(query.parameters) }
        compiled.set(adapter, found)
      }
      const parameters = found.bind(values)
      const direct = directStatements(db)
      if (direct) return direct.all<R>(found.query.sql, parameters)
      const { rows } = await db.executeQuery<R>({ ...found.query, parameters })
      return rows
    }
  }

/** The same for inserting whole rows; the first row determines the columns. */
export function prepareInsert<T extends keyof Tables>(table: T): (db: Executor, row: Tables[T]) => Promise<void> {
  let columns: readonly string[] = []
  const insert = prepare<Record<string, unknown>>()((db, slots) =>
    db.insertInto(table).values(Object.fromEntries(columns.map((name) => [name, slots[name]])) as never),
  )
  return async (db, row) => {
    if (columns.length === 0) columns = Object.keys(row)
    await insert(db, row)
  }
}

function binder<V extends object>(parameters: readonly unknown[]): Bind<V> {
  const parts = parameters.map((value) => (value instanceof Slot ? (value.name as keyof V) : { value }))
  return (values) => parts.map((part) => (typeof part === 'object' ? part.value : values[part]))
}
