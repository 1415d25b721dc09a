import { closest } from './closest.ts'
import type { Path, ReportFault, Value } from './value.ts'
import { boolean, matching, text } from './value.ts'
import { absolutePath, channelId } from './text-kinds.ts'
import { kindOf } from './describe-value.ts'

export type RegisteredCommand = {
  readonly command: string
  readonly shell: boolean
  /** Run in the sandbox of the session, if it has one. */
  readonly confined: boolean
}
export type WorkspaceMapping = {
  readonly id: string
  readonly channelId: string | null
  readonly path: string | null
  readonly label: string | null
}

export const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** Reads the fields of a table, and reports unknown ones. */
export function reader(
  table: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: ReportFault,
  path: Path,
) {
  let faulty = false
  const note: ReportFault = (at, message, hint) => {
    faulty = true
    report(at, message, hint)
  }
  const misspelt = new Set<string>()
  for (const name of Object.keys(table)) {
    if (known.includes(name)) continue
    const meant = closest(name, known)
    if (meant !== undefined) misspelt.add(meant)
    note([...path, name], 'unknown key', meant === undefined ? `known: ${known.join(', ')}` : `did you mean ${meant}?`)
  }
  return {
    note,
    faulty: () => faulty,
    /** Reports a missing field, unless it was reported as misspelt. */
    need: (name: string, hint: string): void => {
      if (Object.hasOwn(table, name)) return
      faulty = true
      if (!misspelt.has(name)) note(path, `has no ${name}`, hint)
    },
    field: <T, F>(name: string, value: Value<T>, fallback: F): T | F =>
      Object.hasOwn(table, name) ? (value.check(table[name], note, [...path, name]) ?? fallback) : fallback,
  }
}

const commandText = text('command')

function command(value: unknown, report: ReportFault, path: Path): RegisteredCommand | undefined {
  if (typeof value === 'string') {
    const checked = commandText.check(value, report, path)
    return checked === undefined ? undefined : { command: checked, shell: false, confined: true }
  }
  if (!isTable(value)) {
    report(path, `must be a string or {command, shell, confined}, not ${kindOf(value)}`)
    return undefined
  }
  const { field, need, faulty } = reader(value, ['command', 'shell', 'confined'], report, path)
  need('command', 'write { command = "…", shell = true }')
  const result = {
    command: field('command', commandText, ''),
    shell: field('shell', boolean, false),
    confined: field('confined', boolean, true),
  }
  return faulty() ? undefined : result
}

// No prototype, here and below, so that an alias such as "constructor" is found only if configured.
export const noCommands: Readonly<Record<string, RegisteredCommand>> = Object.freeze(Object.create(null))

export const commands: Value<Readonly<Record<string, RegisteredCommand>>> = {
  kind: 'table',
  says: 'table: alias = "command" or { command, shell, confined }',
  check(value, report, path) {
    if (!isTable(value)) {
      report(path, `must be a table, not ${kindOf(value)}`, 'write [commands] and one alias = "command" per line')
      return undefined
    }
    const result: Record<string, RegisteredCommand> = Object.create(null)
    let faulty = false
    for (const [alias, entry] of Object.entries(value)) {
      const at = [...path, alias]
      const named = /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(alias)
      if (!named) report(at, 'an alias has only letters, digits, ".", "-" and "_", and starts with a letter or digit')
      const checked = command(entry, report, at)
      if (named && checked !== undefined) result[alias] = checked
      else faulty = true
    }
    return faulty ? undefined : result
  },
}

const workspaceId = matching('id', /^[A-Za-z0-9_-]+$/, 'must have only letters, digits, "-" and "_"')
const label = text('label')

export const workspaces: Value<readonly WorkspaceMapping[]> = {
  kind: 'table',
  says: 'list of tables: id, channel_id, path, label',
  check(value, report, path) {
    if (!Array.isArray(value)) {
      report(
        path,
        `must be a list of tables, not ${kindOf(value)}`,
        'write [[workspace]], with two brackets on each side',
      )
      return undefined
    }
    const firstWith = new Map<string, number>()
    const checked = value.map((entry: unknown, index) => {
      const at = [...path, index]
      if (!isTable(entry)) {
        report(at, `must be a table, not ${kindOf(entry)}`)
        return undefined
      }
      const { field, need, note, faulty } = reader(entry, ['id', 'channel_id', 'path', 'label'], report, at)
      need('id', 'add id = "…", a name for this workspace')
      const mapping = {
        id: field('id', workspaceId, ''),
        channelId: field('channel_id', channelId, null),
        path: field('path', absolutePath, null),
        label: field('label', label, null),
      }
      const first = firstWith.get(mapping.id)
      if (first !== undefined)
        note([...at, 'id'], `"${mapping.id}" is already the id of workspace[${first}]`, 'ids must differ')
      else if (mapping.id !== '') firstWith.set(mapping.id, index)
      return faulty() ? undefined : mapping
    })
    const good = checked.filter((mapping) => mapping !== undefined)
    return good.length === checked.length ? good : undefined
  },
}
