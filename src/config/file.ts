import { parse, TomlError } from 'smol-toml'
import type { ConfigFault, ConfigPlace } from './fault.ts'
import { dotted } from './fault.ts'
import type { ConfigEntry, Layer } from './layer.ts'
import { locate } from './locate.ts'
import { allKeys, sectionNames } from './schema.ts'
import { keyHint, similarTable } from './similar.ts'
import { isTable } from './tables.ts'
import type { Path } from './value.ts'
import { kindOf } from './describe-value.ts'

/** A file that can't be parsed: its values are unknown, so rules between keys are skipped. */
type UnreadFile = { readonly unread: ConfigFault }

export function parseFile(file: string, bytes: Uint8Array): Layer | UnreadFile {
  const place = { source: 'file', file, key: '' } as const
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { unread: { ...place, message: 'is not UTF-8 text', hint: 'save it as UTF-8' } }
  }
  try {
    return fileLayer(file, text, parse(text))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Only the first line: the rest quotes the file, which may contain a secret.
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '')
    const message = `is not valid TOML: ${reason} (column ${error.column})`
    return { unread: { ...place, line: error.line, message } }
  }
}

function fileLayer(file: string, text: string, document: Readonly<Record<string, unknown>>): Layer {
  const given: ConfigEntry[] = []
  const faults: ConfigFault[] = []
  // Located only for faults, so that a valid file costs nothing.
  let lines: ReturnType<typeof locate> | undefined
  const place = (path: Path | null): ConfigPlace => {
    if (path === null) return { source: 'file', file }
    lines ??= locate(text)
    const line = lines(path)
    return { source: 'file', file, ...(line === undefined ? {} : { line }) }
  }
  const fault = (path: Path, message: string, hint: string | undefined): void => {
    faults.push({ ...place(path), key: dotted(path), message, ...(hint === undefined ? {} : { hint }) })
  }
  const take = (path: readonly string[], value: unknown): boolean => {
    const key = path.join('.')
    if (path.some((part) => part.includes('.')) || !allKeys.has(key)) return false
    given.push({ key, value, place: (inner) => place(inner === null ? null : [...path, ...inner]) })
    return true
  }
  for (const [name, value] of Object.entries(document)) {
    if (sectionNames.includes(name)) {
      if (!isTable(value)) fault([name], `must be a table, not ${kindOf(value)}`, `write [${name}] on a separate line`)
      else {
        for (const [inner, innerValue] of Object.entries(value)) {
          if (!take([name, inner], innerValue)) fault([name, inner], 'unknown key', keyHint(name, inner))
        }
      }
    } else if (!take([name], value)) {
      const table = isTable(value) || (Array.isArray(value) && value.every(isTable)) ? similarTable(name) : undefined
      const title = table === 'workspace' ? '[[workspace]]' : `[${table}]`
      if (table === undefined) fault([name], isTable(value) ? 'unknown table' : 'unknown key', keyHint('', name))
      else fault([name], 'unknown table', `did you mean ${title}?`)
    }
  }
  return { given, faults }
}
