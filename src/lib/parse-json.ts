import type { Json } from './json.ts'
import { fail, ok, type Result } from './result.ts'

/** Does not import zod, so that the dashboard can use it: a schema is anything with zod's `safeParse`. */
type Schema<T> = {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { message: string } }
}
type TypeGuard<T> = (value: unknown) => value is T
export type JsonCheck<T> = Schema<T> | TypeGuard<T>

/** The only place that calls `JSON.parse`, so that no value is used without a check. */
export function parseJson<T>(text: string, check: JsonCheck<T>): Result<T> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return fail({
      kind: 'invalid',
      code: 'malformed_json',
      message: error instanceof Error ? error.message : String(error),
    })
  }
  try {
    if (typeof check === 'function')
      return check(value) ? ok(value) : fail({ ...unexpected, message: 'unexpected shape' })
    const checked = check.safeParse(value)
    return checked.success ? ok(checked.data) : fail({ ...unexpected, message: checked.error.message })
  } catch {
    return fail({ ...unexpected, message: 'nested too deep' })
  }
}

const unexpected = { kind: 'invalid', code: 'unexpected_json' } as const

/** For optional text: null if it is not what was expected. */
export function jsonOrNull<T>(text: string, check: JsonCheck<T>): T | null {
  const read = parseJson(text, check)
  return read.ok ? read.value : null
}

export class UnreadableJson extends Error {}

/** For data that we wrote ourselves. Throws if it is damaged: continuing with a guess would be wrong. */
export function ownJson<T>(text: string, what: string, check: JsonCheck<T>): T {
  const read = parseJson(text, check)
  if (read.ok) return read.value
  throw new UnreadableJson(`${what} can't be read: ${read.fault.message}`)
}

type ColumnReader<T> = { (text: string): T; (text: string | null): T | null }

/**
 * Reads a JSON column of the database. Values were checked by their schema before they were written, and lists have many
 * of them, so a guard of the outermost shape is enough. It costs 0.1 µs per value; a schema costs eight times the
 * parsing.
 */
export function jsonColumn<T>(name: string, check: JsonCheck<T>): ColumnReader<T> {
  function read(text: string): T
  function read(text: string | null): T | null
  function read(text: string | null): T | null {
    return text === null ? null : ownJson(text, `The column ${name}`, check)
  }
  return read
}

/** Accepts any JSON. */
export const anyJson = (_value: unknown): _value is Json => true

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isList = (value: unknown): value is unknown[] => Array.isArray(value)

export const isJsonRecord = (value: unknown): value is Record<string, Json> => isRecord(value)

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** A union with a discriminating field. Its values are not listed: a newer node may write some that this one does not know. */
export const isTaggedBy =
  <T extends object>(tag: string & keyof T): TypeGuard<T> =>
  (value): value is T =>
    isRecord(value) && typeof value[tag] === 'string'

/** A list of items that pass the guard. */
export const isListOf =
  <T>(isItem: TypeGuard<T>): TypeGuard<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(isItem)
