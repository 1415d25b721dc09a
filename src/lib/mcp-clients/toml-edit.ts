import { isDeepStrictEqual } from 'node:util'
import { parse, stringify } from 'smol-toml'

type TomlTable = Record<string, unknown>
const isTable = (value: unknown): value is TomlTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

export const tableText = (name: string, entry: TomlTable): string => stringify({ mcp_servers: { [name]: entry } })

export function serverIn(text: string, name: string): unknown {
  const servers = parsed(text)?.['mcp_servers']
  return isTable(servers) ? servers[name] : undefined
}

/** Sets the table of one MCP server and keeps every other line. Null if that can't be done reliably. */
export function setServer(text: string, name: string, entry: TomlTable): string | null {
  const before = parsed(text)
  if (before === null) return null
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text === '' ? [] : text.split(/\r?\n/)
  const kept = lines.filter((_line, index) => !isOurs(lines, index, name))
  const first = lines.findIndex((_line, index) => isOurs(lines, index, name))
  const block = tableText(name, entry).trimEnd().split('\n')
  const changed = first === -1 ? appended(lines, block) : placed(kept, first, block)
  const result = changed.join(newline)
  return isOnlyThat(before, parsed(result), name, entry) ? result : null
}

/** Removes the table of one MCP server with its subtables. Null if that can't be done reliably. */
export function removeServer(text: string, name: string): string | null {
  const before = parsed(text)
  if (before === null || !isTable(before['mcp_servers'])) return null
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const result = lines.filter((_line, index) => !isOurs(lines, index, name, true)).join(newline)
  const { [name]: _removed, ...servers } = before['mcp_servers']
  const { mcp_servers: _old, ...others } = before
  const after = parsed(result)
  const wanted = { ...others, mcp_servers: servers }
  const isSame = isDeepStrictEqual(structuredClone({ mcp_servers: {}, ...after }), structuredClone(wanted))
  return after !== null && isSame ? result : null
}

function appended(lines: readonly string[], block: readonly string[]): string[] {
  const end = lines.findLastIndex((line) => line.trim() !== '') + 1
  return [...lines.slice(0, end), ...(end === 0 ? [] : ['']), ...block, '']
}

function placed(kept: readonly string[], first: number, block: readonly string[]): string[] {
  const rest = kept.slice(first)
  return [...kept.slice(0, first), ...block, ...(rest.length > 0 && rest[0]?.trim() !== '' ? [''] : []), ...rest]
}

/** Whether a line belongs to the server's table or its env table, or to any subtable. */
function isOurs(lines: readonly string[], index: number, name: string, withSubtables = false): boolean {
  const header = lines.slice(0, index + 1).findLast((line) => /^\s*\[/.test(line)) ?? ''
  const below = withSubtables ? String.raw`(\.[^\]]+)?` : String.raw`(\.\s*env\s*)?`
  const isUnder = new RegExp(String.raw`^\s*\[\s*mcp_servers\s*\.\s*"?${name}"?\s*${below}\]`).test(header)
  // Blank lines and comments before the next header belong to what follows.
  const ahead = lines.slice(index).find((line) => line.trim() !== '' && !line.trim().startsWith('#'))
  const isTail = ahead === undefined || /^\s*\[/.test(ahead)
  return isUnder && !(isTail && !/^\s*\[/.test(lines[index] ?? ''))
}

function parsed(text: string): TomlTable | null {
  try {
    return parse(text)
  } catch {
    return null
  }
}

/** Whether only our own table differs, and its subtables are kept. */
function isOnlyThat(before: TomlTable, after: TomlTable | null, name: string, entry: TomlTable): boolean {
  if (after === null) return false
  const servers = isTable(before['mcp_servers']) ? before['mcp_servers'] : {}
  const old = isTable(servers[name]) ? servers[name] : {}
  const below = Object.fromEntries(Object.entries(old).filter(([key, value]) => key !== 'env' && isTable(value)))
  const wanted = { ...before, mcp_servers: { ...servers, [name]: { ...below, ...entry } } }
  const ownKeys = Object.keys(old).filter((key) => !(key in below) && key !== 'env')
  return ownKeys.every((key) => key in entry) && isDeepStrictEqual(structuredClone(after), structuredClone(wanted))
}
