import { globalRegistry, type core, type ZodType } from 'zod'

/**
 * A schema that is made when it is first used: a start would make more than two thousand, and needs a dozen. At the first
 * use it becomes what `make` returns, as a clone in Zod does, and from then on it costs nothing. The build wraps the schemas
 * of every module in it (scripts/build-program.ts).
 */
export function later<S extends ZodType>(make: () => S): S {
  const become = (): void => {
    const made = make()
    Object.setPrototypeOf(schema, Object.getPrototypeOf(made))
    const kind: core.$constructor<ZodType> = made._zod.constr as never
    kind.init(schema, made._zod.def)
    for (const finish of schema._zod.deferred ?? []) finish()
    schema._zod.deferred = undefined
    const described = globalRegistry.get(made)
    if (described) globalRegistry.add(schema, described)
  }
  // Only what the schema itself doesn't have yet is looked for here.
  const unmade = new Proxy(
    {},
    {
      get(_none, name) {
        become()
        return Reflect.get(schema, name)
      },
      has(_none, name) {
        become()
        return Reflect.has(schema, name)
      },
      getPrototypeOf() {
        become()
        return Object.getPrototypeOf(schema)
      },
    },
  )
  const schema: S = Object.create(unmade)
  return schema
}
