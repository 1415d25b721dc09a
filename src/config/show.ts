import { maskedAgents } from './agents.ts'
import type { Json } from '../lib/json.ts'
import type { ConfigSource, LoadedConfig } from './load.ts'
import { allKeys, splitKey } from './schema.ts'
import { camel, snake } from './describe-value.ts'

const masks = {
  token: (value: string): string => `${value.slice(0, value.indexOf('-') + 1)}…masked`,
  password: (value: string): string =>
    value.replace(/^(\w+:\/\/[^:@/]*):.*@/, '$1:***@').replaceAll(/([?&]\w*password=)[^&]*/gi, '$1***'),
}

function lookUp(config: object, dottedKey: string): unknown {
  const [section, name] = splitKey(dottedKey)
  const table: unknown = section === '' ? config : Reflect.get(config, section)
  return typeof table === 'object' && table !== null ? Reflect.get(table, camel(name)) : undefined
}

const inSnakeCase = (table: object): object =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, field]: [string, unknown]) => (field === null ? [] : [[snake(name), field]])),
  )

/** As in the file: null fields left out, names in snake_case (aliases and agent names are kept). */
function asWritten(key: string, value: unknown, config: LoadedConfig['config']): unknown {
  if (key === 'workspace' && Array.isArray(value)) return value.map(inSnakeCase)
  if (key !== 'agents') return value
  return Object.fromEntries(
    Object.entries(maskedAgents(config.agents)).map(([name, agent]) => [name, inSnakeCase(agent)]),
  )
}

export type ShownConfig = {
  readonly file: string | null
  readonly dataDirectory: string
  readonly values: Readonly<Record<string, { readonly value: Json; readonly source: ConfigSource }>>
}

/** Effective values and their sources, secrets masked. */
export function shownConfig({ config, file, dataDir, sources }: LoadedConfig): ShownConfig {
  const values: Record<string, { value: Json; source: ConfigSource }> = {}
  for (const [key, { secret }] of allKeys) {
    const value = lookUp(config, key)
    const masked =
      secret !== undefined && typeof value === 'string' ? masks[secret](value) : asWritten(key, value, config)
    // Values come from TOML, variables and flags.
    values[key] = { value: masked as Json, source: sources[key] ?? 'default' }
  }
  return { file, dataDirectory: dataDir, values }
}

/** For terminals and programs. */
export function showConfig({ file, dataDirectory, values }: ShownConfig): { text: string; json: object } {
  const rows = Object.entries(values).map(([key, { value, source }]) => {
    return [key, value === null ? '(not set)' : JSON.stringify(value), source] as const
  })
  const keyWidth = Math.max(...rows.map(([key]) => key.length))
  const sourceWidth = Math.max(...rows.map(([, , source]) => source.length))
  const lines = rows.map(([key, value, source]) => `${key.padEnd(keyWidth)}  ${source.padEnd(sourceWidth)}  ${value}`)
  const text = [`file            ${file ?? '(none)'}`, `data directory  ${dataDirectory}`, '', ...lines].join('\n')
  return { text, json: { file, data_dir: dataDirectory, values } }
}
