import type { CompiledQuery } from 'kysely'
import type { Executor } from './open.ts'

/** Stands for a value that is known only when the query runs. */
class Slot {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

type Compilable<R> = { compile(): CompiledQuery<R> }
type Slots<V> = { readonly [K in keyof V]: V[K] }

/**
 * A query built and compiled once for each database, then run with values: the builder's cost is paid at the first
 * use only. `prepare<{ id: AskId }>()((db, slots) => …)`; a slot stands where its value will go.
 */
export const prepare =
  <V extends object>() =>
  <R>(build: (db: Executor, slots: Slots<V>) => Compilable<R>): ((db: Executor, values: V) => Promise<R[]>) => {
    const compiled = new WeakMap<object, CompiledQuery<R>>()
    const slots = new Proxy({} as Slots<V>, { get: (_target, name) => new Slot(String(name)) })
    return async (db, values) => {
      // The adapter is one object for a database and all its transactions.
      const { adapter } = db.getExecutor()
      let query = compiled.get(adapter)
      if (query === undefined) {
        query = build(db, slots).compile()
        compiled.set(adapter, query)
      }
      const given = new Map<string, unknown>(Object.entries(values))
      const parameters = query.parameters.map((value) => (value instanceof Slot ? given.get(value.name) : value))
      const { rows } = await db.executeQuery<R>({ ...query, parameters })
      return rows
    }
  }
