import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Environment, environmentLayer } from './environment.ts'
import { type ConfigFault, dotted } from './fault.ts'
import { parseFile } from './file.ts'
import { type ConfigEntry, type Layer, emptyLayer } from './layer.ts'
import { rules } from './rules.ts'
import { type Config, type ConfigFlags, allKeys, splitKey, sectionNames } from './schema.ts'
import { type ReportFault, coerce } from './value.ts'
import { camel, printable, snake } from './describe-value.ts'
import { keyHint } from './similar.ts'
import { isTable } from './tables.ts'

export type ConfigSource = 'default' | 'file' | 'environment' | 'flag'

export type LoadedConfig = {
  readonly config: Config
  readonly file: string | null
  readonly dataDir: string
  /** Where each effective value came from, by dotted key. */
  readonly sources: Readonly<Record<string, ConfigSource>>
  /** Reads everything again: the file may have changed. */
  readonly reload: () => ConfigResult
}

export type ConfigResult =
  | { readonly ok: true; readonly value: LoadedConfig }
  /** `usable`: the values without errors, defaults for the others. */
  | { readonly ok: false; readonly faults: readonly ConfigFault[]; readonly usable: Config }

type LoadOptions = {
  readonly env: Environment
  readonly flags?: ConfigFlags
  /** The file named by `--config`. */
  readonly configFile?: string | undefined
  readonly dataDir: string
}

type ReadLayers = { readonly file: string | null; readonly layer: Layer; readonly unread?: ConfigFault }

function readFile({ env, configFile, dataDir }: LoadOptions): ReadLayers {
  const variable = env['SIGNALBOX_CONFIG']
  const named = configFile ?? (variable || undefined)
  const file = named === undefined ? join(dataDir, 'config.toml') : resolve(named)
  let bytes: Uint8Array
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    if (named === undefined && (code === 'ENOENT' || code === 'ENOTDIR')) return { file: null, layer: emptyLayer }
    return { file, layer: emptyLayer, unread: unreadable(file, code, configFile, named) }
  }
  const parsed = parseFile(file, bytes)
  return 'unread' in parsed ? { file, layer: emptyLayer, unread: parsed.unread } : { file, layer: parsed }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  ENOTDIR: 'file not found',
  EISDIR: 'is a directory, not a file',
  EACCES: "can't be read by this user",
}

function unreadable(file: string, code: string, flag: string | undefined, named: string | undefined): ConfigFault {
  const reason = reasons[code] ?? `can't be read (${code})`
  if (named === undefined) return { source: 'file', file, key: '', message: reason }
  const message = `${printable(file, 4096)}: ${reason}`
  if (flag !== undefined) return { source: 'flag', key: '--config', message }
  return { source: 'environment', variable: 'SIGNALBOX_CONFIG', key: '', message }
}

type Effective = { readonly value: unknown; readonly place: ConfigEntry['place'] }

export function loadConfig(options: LoadOptions): ConfigResult {
  const { file, layer, unread } = readFile(options)
  const effective = new Map<string, Effective>()
  const checked = [layer, environmentLayer(options.env), flagsLayer(options.flags ?? {})].map((one) => {
    return checkLayer(one, effective)
  })
  const faults = (unread === undefined ? [] : [unread]).concat(...checked)

  const config = assemble(effective)
  for (const { keys, broken } of unread === undefined ? rules : []) {
    const touched = ({ key }: ConfigFault): boolean => keys.some((name) => key === name || /^[.[]/.test(cut(key, name)))
    if (faults.some(touched)) continue
    const fault = broken(config)
    if (fault !== undefined) faults.push({ ...(effective.get(fault.key)?.place([]) ?? { source: 'file' }), ...fault })
  }
  if (faults.length > 0) return { ok: false, faults: faults.sort(inOrder), usable: config }

  const sources: Record<string, ConfigSource> = {}
  for (const name of allKeys.keys()) sources[name] = effective.get(name)?.place(null).source ?? 'default'
  const reload = () => loadConfig(options)
  return { ok: true, value: { config, file, dataDir: options.dataDir, sources, reload } }
}

/** What follows a key name in the name of something inside it. */
const cut = (key: string, name: string): string => (key.startsWith(name) ? key.slice(name.length) : '')

const order = ['file', 'environment', 'flag']
const inOrder = (one: ConfigFault, other: ConfigFault): number =>
  order.indexOf(one.source) - order.indexOf(other.source) || (one.line ?? 0) - (other.line ?? 0)

/** Merges valid values over earlier layers, and returns the faults of the others. */
function checkLayer(layer: Layer, effective: Map<string, Effective>): ConfigFault[] {
  const faults = [...layer.faults]
  for (const { key: name, value, place } of layer.given) {
    const key = allKeys.get(name)
    const report: ReportFault = (path, message, hint) => {
      const at = { ...place(path), key: dotted([...name.split('.'), ...path]), message }
      faults.push(hint === undefined ? at : { ...at, hint })
    }
    const checked = key?.check(value, report, [])
    if (checked === undefined) continue
    const from = place(null)
    const base = from.file === undefined ? process.cwd() : dirname(from.file)
    const resolved = key?.resolved === true && typeof checked === 'string' ? resolve(base, checked) : checked
    effective.set(name, { value: resolved, place })
  }
  return faults
}

function assemble(effective: ReadonlyMap<string, Effective>): Config {
  const config: Record<string, unknown> = {}
  const tables = new Map<string, Record<string, unknown>>([['', config]])
  for (const [dottedKey, { fallback }] of allKeys) {
    const [section, name] = splitKey(dottedKey)
    const table = tables.get(section) ?? {}
    if (!tables.has(section)) {
      tables.set(section, table)
      config[section] = table
    }
    table[camel(name)] = effective.get(dottedKey)?.value ?? fallback
  }
  // Config is derived from allKeys; the compiler can't follow that through the map.
  return deepFreeze(config) as Config
}

function deepFreeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}

const place = { source: 'flag' } as const

function flagsLayer(flags: ConfigFlags): Layer {
  const given: ConfigEntry[] = []
  const faults: ConfigFault[] = []
  const take = (section: string, name: string, raw: unknown): void => {
    if (raw === undefined) return
    const path = section === '' ? [name] : [section, name]
    const key = path.join('.')
    const known = allKeys.get(key)
    if (known === undefined) {
      const hint = keyHint(section, name)
      faults.push({ ...place, key: dotted(path), message: 'unknown key', ...(hint === undefined ? {} : { hint }) })
      return
    }
    const result = typeof raw === 'string' ? coerce(known.kind, raw) : { value: raw }
    if ('wrong' in result) faults.push({ ...place, key, message: result.wrong, hint: result.hint })
    else given.push({ key, value: result.value, place: () => place })
  }
  for (const [name, value] of Object.entries(flags)) {
    if (!sectionNames.includes(name) || !isTable(value)) take('', snake(name), value)
    else for (const [inner, innerValue] of Object.entries(value)) take(name, snake(inner), innerValue)
  }
  return { given, faults }
}
