import type { Value } from './value.ts'

/** One key of the configuration. */
export type Key<T> = Value<T> & {
  readonly fallback: T
  /** One line for the example file and the reference. */
  readonly about: string
  /** TOML example for a key without a default. */
  readonly example?: string
  /** What is masked: the whole text, or the password in an address. */
  readonly secret?: 'token' | 'password'
  /** A path that may be relative to its file, else to the working directory. */
  readonly resolved?: boolean
}

type KeyOptions = Pick<Key<unknown>, 'example' | 'secret' | 'resolved'>

export const key = <T>(value: Value<T>, fallback: NoInfer<T>, about: string, more: KeyOptions = {}): Key<T> => ({
  ...value,
  fallback,
  about,
  ...more,
})

export const optional = <T>(value: Value<T>, example: string, about: string, more: KeyOptions = {}): Key<T | null> => ({
  ...value,
  fallback: null,
  about,
  example,
  ...more,
})
