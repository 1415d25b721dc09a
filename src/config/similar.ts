import { closest, onlyContaining } from './closest.ts'
import { allKeys, sectionNames, splitKey } from './schema.ts'
import { snake } from './describe-value.ts'

const dottedIn = (section: string, name: string): string => (section === '' ? name : `${section}.${name}`)

const entries = [...allKeys.keys()].map((key) => {
  const [section, name] = splitKey(key)
  return { key, section, name, joined: dottedIn(section, name).replace('.', '_') }
})
const allNames = entries.map(({ name }) => name)

/** The dotted key meant by `name` in table `section` ('' is the top of the file). */
export function similarKey(section: string, name: string): string | undefined {
  const wanted = snake(name)
  const own = entries.flatMap((one) => (one.section === section ? [one.name] : []))
  if (own.includes(wanted)) return dottedIn(section, wanted)

  const elsewhere = entries.filter((one) => one.name === wanted)
  if (elsewhere.length === 1) return elsewhere[0]?.key
  const joined = section === '' ? wanted : `${section}_${wanted}`
  const flat = entries.find((one) => one.joined === joined)
  if (flat !== undefined) return flat.key

  const near = closest(wanted, own) ?? onlyContaining(wanted, own)
  if (near !== undefined) return dottedIn(section, near)
  const far = closest(wanted, allNames) ?? onlyContaining(wanted, allNames)
  return entries.find((one) => one.name === far)?.key
}

export const similarTable = (name: string): string | undefined =>
  closest(name, [...sectionNames, 'commands', 'workspace', 'agents'])

/** The suggestion for an unknown key of the file. */
export function keyHint(section: string, name: string): string | undefined {
  const meant = similarKey(section, name)
  if (meant === undefined) return undefined
  const [table, known] = splitKey(meant)
  if (table === section) return `did you mean ${known}?`
  const where = table === '' ? 'at the top of the file, before the first [table]' : `under [${table}]`
  return known === name ? `it belongs ${where}` : `did you mean ${known} ${where}?`
}
