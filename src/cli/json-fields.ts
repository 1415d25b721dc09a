/** Reads fields of JSON from agents, which can have any shape. */
export function fieldOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? Reflect.get(value, name) : undefined
}

export function textField(value: unknown, name: string): string | null {
  const found = fieldOf(value, name)
  return typeof found === 'string' && found !== '' ? found : null
}

export function listField(value: unknown, name: string): readonly unknown[] {
  const found = fieldOf(value, name)
  return Array.isArray(found) ? found : []
}
