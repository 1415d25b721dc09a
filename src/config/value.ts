import { anyJson, isList, parseJson } from '../lib/parse-json.ts'
import { closest } from './closest.ts'
import { anyOf, kindOf, quoted, shownValue } from './describe-value.ts'

export type Path = readonly (string | number)[]
export type ReportFault = (path: Path, message: string, hint?: string) => void

/**
 * One type of value. `check` returns the normalized value, or reports every fault and returns undefined. Written by
 * hand: importing a schema library would slow down every command.
 */
export type Value<T> = {
  /** How text from the environment is parsed. */
  readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'table'
  /** The type as text, for messages and the reference. */
  readonly says: string
  readonly check: (value: unknown, report: ReportFault, path: Path) => T | undefined
}

/** The result of a text rule: valid, the normalized text, or a fault. */
type ValueCheck = string | { readonly wrong: string; readonly hint?: string }

export const text = (says: string, rule: (value: string) => ValueCheck = (value) => value): Value<string> => ({
  kind: 'text',
  says,
  check(value, report, path) {
    if (typeof value !== 'string') {
      const hint = typeof value === 'number' ? 'put it in quotes' : undefined
      report(path, `must be a string, not ${kindOf(value)}`, hint)
      return undefined
    }
    if (value.trim() === '') {
      report(path, 'must not be empty', 'remove it to use the default')
      return undefined
    }
    const verdict = value.includes('\0') ? { wrong: 'must not contain a NUL character' } : rule(value)
    if (typeof verdict === 'string') return verdict
    report(path, verdict.wrong, verdict.hint)
    return undefined
  },
})

export const matching = (says: string, pattern: RegExp, wrong: string): Value<string> =>
  text(says, (value) => (pattern.test(value) ? value : { wrong }))

export function integer(min: number, max: number = 2_147_483_647): Value<number> {
  const says = max === 2_147_483_647 ? `whole number, ${min} or more` : `whole number, ${min} to ${max}`
  return {
    kind: 'integer',
    says,
    check(value, report, path) {
      if (typeof value !== 'number' || !Number.isInteger(value)) {
        const unquoted = typeof value === 'string' && /^-?\d+$/.test(value)
        report(path, `must be a whole number, not ${shownValue(value)}`, unquoted ? 'remove the quotes' : undefined)
      } else if (value < min) report(path, `must be at least ${min}, not ${value}`)
      else if (value > max) report(path, `must be at most ${max}, not ${value}`)
      else return value
      return undefined
    },
  }
}

export const number = (min: number): Value<number> => ({
  kind: 'number',
  says: `number, ${min} or more`,
  check(value, report, path) {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      const unquoted = typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value)
      report(path, `must be a number, not ${shownValue(value)}`, unquoted ? 'remove the quotes' : undefined)
    } else if (value < min) report(path, `must be at least ${min}, not ${value}`)
    else return value
    return undefined
  },
})

export const boolean: Value<boolean> = {
  kind: 'boolean',
  says: 'true or false',
  check(value, report, path) {
    if (typeof value === 'boolean') return value
    report(path, `must be true or false, not ${shownValue(value)}`)
    return undefined
  },
}

/** `warn` for `warning` */
const startOf = (word: string, allowed: readonly string[]): string | undefined =>
  allowed.find((one) => word.toLowerCase().startsWith(one))

export const oneOf = <const T extends string>(...allowed: readonly T[]): Value<T> => ({
  kind: 'text',
  says: anyOf(allowed.map((one) => quoted(one))),
  check(value, report, path) {
    const found = allowed.find((one) => one === value)
    if (found !== undefined) return found
    const meant = typeof value === 'string' ? (closest(value, allowed) ?? startOf(value, allowed)) : undefined
    const hint = meant === undefined ? undefined : `did you mean ${quoted(meant)}?`
    report(path, `must be ${anyOf(allowed.map((one) => quoted(one)))}, not ${shownValue(value)}`, hint)
    return undefined
  },
})

export const list = <T>(item: Value<T>): Value<readonly T[]> => ({
  kind: 'list',
  says: `list of: ${item.says}`,
  check(value, report, path) {
    if (!Array.isArray(value)) {
      const hint = typeof value === 'string' ? 'put it in square brackets' : undefined
      report(path, `must be a list, not ${kindOf(value)}`, hint)
      return undefined
    }
    const checked = value.map((one: unknown, index) => item.check(one, report, [...path, index]))
    const good = checked.filter((one) => one !== undefined)
    return good.length === checked.length ? good : undefined
  },
})

/** A list without duplicates. */
export const distinct = <T>(item: Value<T>): Value<readonly T[]> => {
  const plain = list(item)
  return {
    ...plain,
    check(value, report, path) {
      const checked = plain.check(value, report, path)
      return checked === undefined ? undefined : [...new Set(checked)]
    },
  }
}

type Coerced = { readonly value: unknown } | { readonly wrong: string; readonly hint: string }

/** Converts text from a variable or flag to the type of the key. Text that can't be converted is left to the key's check. */
export function coerce(kind: Value<unknown>['kind'], text: string): Coerced {
  switch (kind) {
    case 'text':
      return { value: text }
    case 'integer':
      return { value: /^[+-]?\d+$/.test(text.trim()) ? Number(text) : text }
    case 'number':
      return { value: /^[+-]?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text }
    case 'boolean': {
      const word = text.trim().toLowerCase()
      if (word === 'true' || word === '1') return { value: true }
      return { value: word === 'false' || word === '0' ? false : text }
    }
    case 'list': {
      if (!text.trim().startsWith('[')) {
        return { value: text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()])) }
      }
      const read = parseJson(text, isList)
      const hint = 'write ["a", "b"] or a,b'
      return read.ok ? read : { wrong: 'starts like a JSON list but is not one', hint }
    }
    case 'table': {
      const read = parseJson(text, anyJson)
      return read.ok ? read : { wrong: 'must be JSON', hint: 'check quotes, commas and brackets' }
    }
    default:
      return kind satisfies never
  }
}
