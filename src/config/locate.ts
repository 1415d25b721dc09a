import type { Path } from './value.ts'

// Deeper than any key; limits the cost of a hostile chain of dots.
const deepest = 6

/**
 * Finds the line of each key and list item in a document that was already parsed, so its syntax is valid. The parser
 * reports lines only for syntax errors; people need them for wrong values too.
 */
export function locate(toml: string): (path: Path) => number | undefined {
  const lines = new Map<string, number>()
  const tableLists = new Map<string, number>()
  let at = 0
  let line = 1

  const note = (path: Path, where: number): void => {
    if (path.length > deepest) return
    const id = JSON.stringify(path)
    if (!lines.has(id)) lines.set(id, where)
  }
  const advance = (to: number): void => {
    for (; at < to; at++) if (toml[at] === '\n') line++
  }
  const skipTo = (pattern: RegExp): void => {
    pattern.lastIndex = at
    advance(pattern.exec(toml)?.index ?? toml.length)
  }
  const blank = (): void => {
    skipTo(/[^\s]/g)
    while (toml[at] === '#') {
      skipTo(/\n/g)
      skipTo(/[^\s]/g)
    }
  }

  /** Skips a string and returns its raw content; escapes matter only in quoted keys. */
  const string = (): string => {
    const quote = toml[at] ?? ''
    const long = toml.startsWith(quote.repeat(3), at)
    const start = at + (long ? 3 : 1)
    let end = start
    while (end < toml.length && !(long ? toml.startsWith(quote.repeat(3), end) : toml[end] === quote)) {
      end += quote === '"' && toml[end] === '\\' ? 2 : 1
    }
    // A multi-line string may end with one or two quotes of its own.
    if (long) while (toml[end + 3] === quote) end++
    advance(end + (long ? 3 : 1))
    return toml.slice(start, end)
  }

  const keyPath = (): string[] => {
    const path: string[] = []
    for (;;) {
      skipTo(/[^ \t]/g)
      const quote = toml[at]
      if (quote === '"') path.push(unescaped(string()))
      else if (quote === "'") path.push(string())
      else {
        const start = at
        skipTo(/[^A-Za-z0-9_-]/g)
        path.push(toml.slice(start, at))
      }
      skipTo(/[^ \t]/g)
      if (toml[at] !== '.') return path
      at++
    }
  }

  const noteAll = (base: Path, keys: readonly string[], where: number): Path => {
    for (let depth = 1; depth <= Math.min(keys.length, deepest); depth++)
      note([...base, ...keys.slice(0, depth)], where)
    return [...base, ...keys]
  }

  const value = (path: Path): void => {
    const first = toml[at]
    if (first === '"' || first === "'") string()
    else if (first === '[' || first === '{') {
      at++
      for (let index = 0; ; index++) {
        blank()
        if (at >= toml.length || toml[at] === ']' || toml[at] === '}') break
        if (first === '[') {
          note([...path, index], line)
          value([...path, index])
        } else pair(path)
        blank()
        if (toml[at] === ',') at++
      }
      at++
    } else skipTo(/[,\]}#\n]/g)
  }

  const pair = (base: Path): void => {
    const where = line
    const path = noteAll(base, keyPath(), where)
    at++
    skipTo(/[^ \t]/g)
    value(path)
  }

  /** `[a.b]` under `[[a]]` belongs to the last a. */
  const within = (keys: readonly string[]): Path => {
    const path: (string | number)[] = []
    for (const key of keys) {
      path.push(key)
      const last = path.length > deepest ? undefined : tableLists.get(JSON.stringify(path))
      if (last !== undefined) path.push(last)
    }
    return path
  }

  let table: Path = []
  for (blank(); at < toml.length; blank()) {
    const where = line
    if (toml[at] !== '[') {
      pair(table)
      continue
    }
    const list = toml[at + 1] === '['
    at += list ? 2 : 1
    const keys = keyPath()
    const name = keys.at(-1) ?? ''
    const parent = within(keys.slice(0, -1))
    for (let depth = 1; depth <= Math.min(parent.length, deepest); depth++) note(parent.slice(0, depth), where)
    const path = [...parent, name]
    note(path, where)
    if (list) {
      const id = JSON.stringify(path.slice(0, deepest + 1))
      const index = (tableLists.get(id) ?? -1) + 1
      tableLists.set(id, index)
      table = [...path, index]
    } else table = within(keys)
    note(table, where)
    skipTo(/[\n#]/g)
  }
  return (path) => {
    for (let depth = path.length; depth > 0; depth--) {
      const found = lines.get(JSON.stringify(path.slice(0, depth)))
      if (found !== undefined) return found
    }
    return undefined
  }
}

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' }

function unescaped(raw: string): string {
  return raw.replaceAll(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.))/g, (_, u, long, x, char) => {
    const code: unknown = u ?? long ?? x
    if (typeof code === 'string') return String.fromCodePoint(Number.parseInt(code, 16))
    return typeof char === 'string' ? (escapes[char] ?? char) : ''
  })
}
