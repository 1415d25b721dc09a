import { isTable, reader } from './tables.ts'
import type { Value } from './value.ts'
import { list, text } from './value.ts'
import { kindOf } from './describe-value.ts'

/** An MCP server for an agent: one it reaches over HTTP, or one it starts itself. */
export type McpServerSettings =
  | { readonly name: string; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

/** Names with texts. The texts may be secrets, so no message shows them. */
export const stringTable = (what: string, name: Value<string>): Value<Readonly<Record<string, string>>> => ({
  kind: 'table',
  says: `table: ${what} = "value"`,
  check(value, report, path) {
    if (!isTable(value)) {
      report(path, `must be a table, not ${kindOf(value)}`, 'write { NAME = "value" }')
      return undefined
    }
    const result: Record<string, string> = Object.create(null)
    let faulty = false
    for (const [key, entry] of Object.entries(value)) {
      const checked = name.check(key, report, [...path, key])
      if (typeof entry !== 'string')
        report([...path, key], `must be a string, not ${kindOf(entry)}`, 'put it in quotes')
      else if (/[\0]/.test(entry)) report([...path, key], 'must not contain a NUL character')
      else if (checked !== undefined) {
        result[checked] = entry
        continue
      }
      faulty = true
    }
    return faulty ? undefined : result
  },
})

const serverName = text('name', (value) =>
  /^[A-Za-z0-9_-]+$/.test(value) ? value : { wrong: 'must have only letters, digits, "-" and "_"' },
)
const url = text('http or https address', (value) =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? value
    : { wrong: 'must be an address that starts with https:// or http://' },
)
const headers = stringTable(
  'header',
  text('header', (value) => (/^[\w-]+$/.test(value) ? value : { wrong: 'must be a header name' })),
)
const env = stringTable('variable', text('variable'))
const program = text('program')
const args = list(text('argument'))

const server: Value<McpServerSettings> = {
  kind: 'table',
  says: '{ name, url, headers } or { name, command, args, env }',
  check(value, report, path) {
    if (!isTable(value)) {
      report(path, `must be a table, not ${kindOf(value)}`, 'write { name = "…", url = "…" }')
      return undefined
    }
    const remote = Object.hasOwn(value, 'url')
    const known = remote ? ['name', 'url', 'headers'] : ['name', 'command', 'args', 'env']
    const { field, need, faulty } = reader(value, known, report, path)
    need('name', 'add name = "…"')
    if (!remote) need('command', 'add url = "…" for a running server, or command = "…" to start one')
    const name = field('name', serverName, '')
    const checked: McpServerSettings = remote
      ? { name, url: field('url', url, ''), headers: field('headers', headers, {}) }
      : { name, command: field('command', program, ''), args: field('args', args, []), env: field('env', env, {}) }
    return faulty() ? undefined : checked
  },
}

export const mcpServers: Value<readonly McpServerSettings[]> = {
  ...list(server),
  check(value, report, path) {
    const checked = list(server).check(value, report, path)
    const names = checked?.map(({ name }) => name) ?? []
    const twice = names.findIndex((name, index) => names.indexOf(name) !== index)
    if (twice === -1) return checked
    report([...path, twice, 'name'], `"${names[twice]}" is already the name of another server`, 'names must differ')
    return undefined
  },
}
