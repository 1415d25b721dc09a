import { isDeepStrictEqual } from 'node:util'
import { anyJson, isRecord, jsonOrNull, ownJson } from '../parse-json.ts'

type JsonMember = { key: string; start: number; end: number }
type Members = { list: JsonMember[]; open: number; close: number }

/** Sets one value and keeps every other character. Null if the document is not a plain JSON object. */
export function setInJson(text: string, path: readonly string[], value: unknown): string | null {
  const body = text.replace(/^\ufeff/, '')
  const mark = text.slice(0, text.length - body.length)
  if (body.trim() === '') return `${mark}${JSON.stringify(nested(path, value), null, 2)}\n`
  if (!isJsonObject(body)) return null
  const style = styleOf(body)
  const changed = set(body, body.search(/\S/), path, value, style, 1)
  // With duplicate keys or odd formatting, change nothing rather than something else.
  return changed !== null && isOnlyThat(body, changed, path, value) ? mark + changed : null
}

/** Removes one value and keeps every other character. Null if the document is not a plain JSON object. */
export function removeFromJson(text: string, path: readonly string[]): string | null {
  const body = text.replace(/^\ufeff/, '')
  if (!isJsonObject(body)) return null
  const changed = remove(body, body.search(/\S/), path)
  return changed !== null && isOnlyThat(body, changed, path, undefined)
    ? text.slice(0, text.length - body.length) + changed
    : null
}

function remove(text: string, at: number, [key = '', ...rest]: readonly string[]): string | null {
  const members = membersAt(text, at)
  if (members === null) return null
  const place = members.list.findLastIndex((member) => member.key === key)
  const found = members.list[place]
  if (found === undefined) return text
  if (rest.length > 0) return remove(text, found.start, rest)
  const before = members.list[place - 1]
  const after = members.list[place + 1]
  // From the end of the previous member; the first one goes up to the next one's key.
  if (before) return text.slice(0, before.end) + text.slice(found.end)
  if (after === undefined) return text.slice(0, members.open + 1) + text.slice(members.close)
  const start = skipSpace(text, members.open + 1)
  const comma = skipSpace(text, found.end)
  return text.slice(0, start) + text.slice(skipSpace(text, comma + 1))
}

export function valueIn(text: string, path: readonly string[]): unknown {
  let value: unknown = jsonOrNull(text.replace(/^\ufeff/, ''), isRecord) ?? undefined
  for (const key of path) value = isRecord(value) ? value[key] : undefined
  return value
}

type Style = { unit: string; newline: string }

const styleOf = (text: string): Style => ({
  unit: /\n([ \t]+)"/.exec(text)?.[1] ?? '  ',
  newline: text.includes('\r\n') ? '\r\n' : '\n',
})

function set(
  text: string,
  at: number,
  path: readonly string[],
  value: unknown,
  style: Style,
  depth: number,
): string | null {
  const [key = '', ...rest] = path
  const members = membersAt(text, at)
  if (members === null) return null
  const found = members.list.findLast((member) => member.key === key)
  if (found && rest.length > 0) return set(text, found.start, rest, value, style, depth + 1)
  if (found) return text.slice(0, found.start) + written(value, style, depth) + text.slice(found.end)
  const added = `${JSON.stringify(key)}: ${written(rest.length === 0 ? value : nested(rest, value), style, depth)}`
  const indent = style.newline + style.unit.repeat(depth)
  const last = members.list.at(-1)
  if (last) return `${text.slice(0, last.end)},${indent}${added}${text.slice(last.end)}`
  const outer = style.newline + style.unit.repeat(depth - 1)
  return `${text.slice(0, members.open + 1)}${indent}${added}${outer}${text.slice(members.close)}`
}

const written = (value: unknown, { unit, newline }: Style, depth: number): string =>
  JSON.stringify(value, null, unit).replaceAll('\n', newline + unit.repeat(depth))

export function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
}

/** The members of an object. The document is known to be valid JSON, so only brackets and strings matter. */
function membersAt(text: string, open: number): Members | null {
  if (text[open] !== '{') return null
  const list: JsonMember[] = []
  let at = skipSpace(text, open + 1)
  while (text[at] === '"') {
    const keyEnd = skipValue(text, at)
    const start = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = skipValue(text, start)
    const key: unknown = ownJson(text.slice(at, keyEnd), 'The key', anyJson)
    list.push({ key: typeof key === 'string' ? key : '', start, end })
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return { list, open, close: at }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/\s/.test(text[at] ?? '')) at += 1
  return at
}

/** The position after a string, a literal, an object or an array. */
function skipValue(text: string, from: number): number {
  const token = /"(?:[^"\\]|\\.)*"|[{[]|[}\]]|[^\s,:"{}[\]]+|[\s,:]/gy
  token.lastIndex = from
  let depth = 0
  for (;;) {
    const [found = ''] = token.exec(text) ?? []
    if (found === '') return text.length
    if (found === '{' || found === '[') depth += 1
    if (found === '}' || found === ']') depth -= 1
    if (depth === 0) return token.lastIndex
  }
}

const isJsonObject = (text: string): boolean => jsonOrNull(text, isRecord) !== null

/** Whether two documents differ in this value only. */
function isOnlyThat(before: string, after: string, path: readonly string[], value: unknown): boolean {
  const [old, now] = [before, after].map((text) => ownJson(text, 'The document', anyJson))
  return isDeepStrictEqual(now, withValue(old, path, value))
}

function withValue(document: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const fields = isRecord(document) ? document : {}
  if (rest.length > 0 || value !== undefined) return { ...fields, [key]: withValue(fields[key], rest, value) }
  const { [key]: _removed, ...others } = fields
  return others
}
