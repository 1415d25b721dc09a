export type Schema = { [key: string]: unknown }

/** Why a value does not match a JSON schema, each with its place; supports the keywords our OpenAPI 3.1 document uses. */
export function misfits(schema: unknown, value: unknown, resolve: (ref: string) => Schema, at = '$'): string[] {
  if (schema === true || schema === undefined) return []
  if (schema === false) return [`${at} must not be there`]
  const rule = schema as Schema
  const go = (part: unknown, of: unknown, where: string) => misfits(part, of, resolve, where)
  const found: string[] = []
  if (typeof rule['$ref'] === 'string') found.push(...go(resolve(rule['$ref']), value, at))
  const types = [rule['type'] ?? []].flat().filter((type) => typeof type === 'string')
  if (types.length > 0 && !types.some((type) => isOf(type, value)))
    return [...found, `${at} is ${JSON.stringify(value)?.slice(0, 60)}, not ${types.join(' or ')}`]
  if (Array.isArray(rule['enum']) && !rule['enum'].includes(value))
    found.push(`${at} is not one of ${rule['enum'].join(', ')}`)
  if ('const' in rule && rule['const'] !== value) found.push(`${at} is not ${JSON.stringify(rule['const'])}`)
  for (const part of listOf(rule['allOf'])) found.push(...go(part, value, at))
  for (const word of ['anyOf', 'oneOf']) {
    const parts = listOf(rule[word])
    if (parts.length > 0 && !parts.some((part) => go(part, value, at).length === 0))
      found.push(`${at} fits none of ${word}`)
  }
  if (typeof value === 'string' && typeof rule['pattern'] === 'string' && !new RegExp(rule['pattern'], 'u').test(value))
    found.push(`${at} does not match ${rule['pattern']}`)
  if (Array.isArray(value)) value.forEach((item, index) => found.push(...go(rule['items'], item, `${at}[${index}]`)))
  else if (typeof value === 'object' && value !== null) found.push(...inObject(rule, value as Schema, at, go))
  return found
}

function inObject(
  rule: Schema,
  value: Schema,
  at: string,
  go: (part: unknown, of: unknown, where: string) => string[],
): string[] {
  const properties = (rule['properties'] ?? {}) as Schema
  const missing = listOf(rule['required']).filter((name) => !((name as string) in value))
  return [
    ...missing.map((name) => `${at}.${String(name)} is missing`),
    ...Object.entries(value).flatMap(([name, part]) =>
      go(name in properties ? properties[name] : rule['additionalProperties'], part, `${at}.${name}`),
    ),
  ]
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
