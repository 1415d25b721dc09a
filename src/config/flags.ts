import { coerce } from './coerce.ts'
import type { ConfigFault } from './fault.ts'
import { dotted } from './fault.ts'
import type { ConfigEntry, Layer } from './layer.ts'
import type { ConfigFlags } from './schema.ts'
import { allKeys, sectionNames } from './schema.ts'
import { keyHint } from './similar.ts'
import { isTable } from './tables.ts'
import { snake } from './describe-value.ts'

const place = { source: 'flag' } as const

export function flagsLayer(flags: ConfigFlags): Layer {
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
