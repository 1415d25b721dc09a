import { closest } from './closest.ts'
import { coerce } from './value.ts'
import type { ConfigFault, ConfigPlace } from './fault.ts'
import { printable } from './describe-value.ts'
import type { ConfigEntry, Layer } from './layer.ts'
import { allKeys } from './schema.ts'
import { similarKey } from './similar.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const prefix = 'SIGNALBOX_'

/** Variables with our prefix that are not keys: locations, the server address, values that we give to programs. */
const otherVariables: readonly string[] = [
  'SIGNALBOX_HOME',
  'SIGNALBOX_CONFIG',
  'SIGNALBOX_URL',
  'SIGNALBOX_TOKEN',
  'SIGNALBOX_SESSION',
  'SIGNALBOX_SESSION_ID',
  'SIGNALBOX_CALLED_AS',
  'SIGNALBOX_CHILD',
  'SIGNALBOX_CONTAINER',
  'SIGNALBOX_EXEC',
  'SIGNALBOX_KEEPER_LINGER_MS',
  'SIGNALBOX_KEEPER_SPOOL_BYTES',
]

/** In containers: one for each host that gets a credential on the way. */
const ofProviders = 'SIGNALBOX_PROVIDER_'

/** Names that other tools set; our own name of the same key wins. */
export const aliases: Readonly<Record<string, string>> = {
  http_port: 'PORT',
  agent_workspace_root: 'AGENT_WORKSPACE_ROOT',
  'acp.idle_timeout_minutes': 'AGENT_SESSION_IDLE_TIMEOUT',
}

export const variableFor = (key: string): string => prefix + key.replace('.', '__').toUpperCase()

const afterPrefix = (variable: string): string => variable.slice(prefix.length).toLowerCase()

function unknownHint(name: string): string | undefined {
  const rest = afterPrefix(name)
  const table = rest.split('__')[0] ?? ''
  if (rest.includes('__') && allKeys.get(table)?.kind === 'table') {
    return `set all of it as JSON in ${variableFor(table)}`
  }
  // Compared without the common prefix.
  const names = [...allKeys.keys()].map(variableFor).concat(otherVariables).map(afterPrefix)
  const flat = (one: string): string => one.replaceAll(/_+/g, '_')
  const near = names.find((one) => flat(one) === flat(rest)) ?? closest(rest, names)
  const meant = near === undefined ? similarVariable(rest) : prefix + near.toUpperCase()
  return meant === undefined ? undefined : `did you mean ${meant}?`
}

function similarVariable(rest: string): string | undefined {
  const [section = '', ...name] = rest.split('__')
  const key = name.length === 0 ? similarKey('', section) : similarKey(section, name.join('_'))
  return key === undefined ? undefined : variableFor(key)
}

/** An empty variable counts as unset, as usual in container files. */
export function environmentLayer(env: Environment): Layer {
  const given: ConfigEntry[] = []
  const faults: ConfigFault[] = []
  const known = new Set(otherVariables)
  for (const [key, { kind }] of allKeys) {
    const own = variableFor(key)
    known.add(own)
    const alias = aliases[key]
    const variable = alias !== undefined && !env[own] ? alias : own
    const text = env[variable]
    if (text === undefined || text === '') continue
    const place: ConfigPlace = { source: 'environment', variable }
    const result = coerce(kind, text)
    if ('wrong' in result) faults.push({ ...place, key, message: result.wrong, hint: result.hint })
    else given.push({ key, value: result.value, place: () => place })
  }
  for (const name of Object.keys(env).sort()) {
    if (!name.startsWith(prefix) || known.has(name) || env[name] === undefined) continue
    if (name.startsWith(ofProviders)) continue
    const hint = unknownHint(name)
    const variable = printable(name)
    const fault = { source: 'environment', variable, key: '', message: 'unknown variable' } as const
    faults.push(hint === undefined ? fault : { ...fault, hint })
  }
  return { given, faults }
}
