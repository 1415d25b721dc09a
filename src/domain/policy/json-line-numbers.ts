import { ownJson } from '../../lib/parse-json.ts'

export type JsonPath = readonly (string | number)[]

const deepest = 20
const isText = (value: unknown): value is string => typeof value === 'string'

/** The line of each key and item of a valid JSON text, and the keys that occur twice. */
export function jsonLineNumbers(text: string): {
  lineOf(path: JsonPath): number | null
  twice: { path: JsonPath; line: number }[]
} {
  const lines = new Map<string, number>()
  const twice: { path: JsonPath; line: number }[] = []
  let [at, line] = [0, 1]

  const blank = (): void => {
    for (; /[ \t\r\n]/.test(text[at] ?? ''); at += 1) if (text[at] === '\n') line += 1
  }
  const string = (): string => {
    const start = at
    at += 1
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at += 1
    return text.slice(start, at)
  }
  const note = (path: JsonPath): void => {
    const key = JSON.stringify(path)
    if (!lines.has(key)) lines.set(key, line)
    else twice.push({ path, line })
  }
  const value = (path: JsonPath): void => {
    blank()
    const first = text[at]
    if (first === '"') string()
    else if (first === '{' || first === '[') list(first === '{', path)
    else while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at += 1
  }
  const list = (isObject: boolean, path: JsonPath): void => {
    at += 1
    for (let index = 0; ; index += 1) {
      blank()
      if (at >= text.length || text[at] === '}' || text[at] === ']') break
      let item: JsonPath = [...path, index]
      if (isObject) {
        item = [...path, ownJson(string(), 'The key', isText)]
        note(item)
        blank()
        at += 1
      } else note(item)
      if (item.length > deepest) throw new RangeError('too deep')
      value(item)
      blank()
      if (text[at] === ',') at += 1
    }
    at += 1
  }
  value([])
  return {
    twice,
    lineOf: (path) => {
      for (let depth = path.length; depth > 0; depth -= 1) {
        const found = lines.get(JSON.stringify(path.slice(0, depth)))
        if (found !== undefined) return found
      }
      return null
    },
  }
}
