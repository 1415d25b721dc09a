/** A value, or a function that makes it when it is first needed. */
export type OnDemand<T> = T | (() => T)

/** Makes the value at the first call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** A part that is loaded on first use. */
export type Lazy<T> = {
  /** Loads it, unless it is already loaded. */
  get(): Promise<T>
  /** The part, if it is loaded. */
  readonly loaded: T | undefined
  /** The part, if it was requested; waits for a load in progress. */
  requested(): Promise<T | undefined>
}

export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let loading: Promise<T> | undefined
  let loaded: T | undefined
  return {
    get: () => (loading ??= load().then((part) => (loaded = part))),
    get loaded() {
      return loaded
    },
    requested: async () => loading,
  }
}

type AsyncMethod = (...args: never[]) => Promise<unknown>
type AsyncMethods<T> = { [K in keyof T]: T[K] extends AsyncMethod ? K : never }[keyof T]

/** The named methods of a lazy part. A call loads the part first. */
export function lazyMethods<T, const K extends AsyncMethods<T>>(part: Lazy<T>, names: readonly K[]): Pick<T, K> {
  const method =
    (name: K) =>
    async (...args: unknown[]) => {
      const owner = (await part.get()) as Record<K, (...args: unknown[]) => Promise<unknown>>
      return owner[name](...args)
    }
  return Object.fromEntries(names.map((name) => [name, method(name)])) as Pick<T, K>
}
