import type { Value } from './value.ts'

/** One key of the configuration: all that is known about it, in one place. */
export type Key<T> = Value<T> & {
  readonly fallback: T
  /** One line for people: example file and reference are made of it. */
  readonly about: string
  /** TOML shown where the default is nothing. */
  readonly example?: string
  /** What must never be shown: the whole text, or the password in an address. */
  readonly secret?: 'token' | 'password'
  /** A path that may be relative: to the file it stands in, else to the working directory. */
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
