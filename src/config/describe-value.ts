/** Escapes characters that could move the cursor or hide text, and cuts long text. */
export function printable(text: string, longest = 60): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text
  return cut.replaceAll(/[\p{C}\p{Zl}\p{Zp}"\\]/gu, (char) => {
    if (char === '"' || char === '\\') return `\\${char}`
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`
  })
}

export const quoted = (text: string, longest?: number): string => `"${printable(text, longest)}"`

/** The type of a value in words, without showing it: it may be a misplaced secret. */
export function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'number' || typeof value === 'bigint') return 'a number'
  if (typeof value === 'boolean') return 'true or false'
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Date) return 'a date'
  return value === null ? 'null' : 'a table'
}

export function shownValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)
}

/** `a`, `a or b`, `a, b or c` */
export function anyOf(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`
}

export const snake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()

export const camel = (name: string): string => name.replaceAll(/_([a-z0-9])/g, (_, char: string) => char.toUpperCase())
