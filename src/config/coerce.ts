import type { Value } from './value.ts'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type Coerced = { readonly value: unknown } | { readonly wrong: string; readonly hint: string }

/** Text from a variable or a flag becomes what the key expects; what can't stays text, for the key's own check. */
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
      const value = parsed(text)
      const hint = 'write ["a", "b"] or a,b'
      return value === undefined ? { wrong: 'starts like a JSON list but is not one', hint } : { value }
    }
    case 'table': {
      const value = parsed(text)
      return value === undefined ? { wrong: 'must be JSON', hint: 'check quotes, commas and brackets' } : { value }
    }
    default:
      return kind satisfies never
  }
}
