import type { Value } from './value.ts'
import { anyJson, isList, parseJson } from '../lib/parse-json.ts'

export type Coerced = { readonly value: unknown } | { readonly wrong: string; readonly hint: string }

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
