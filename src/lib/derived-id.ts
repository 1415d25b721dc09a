import { createHash } from 'node:crypto'

/** The same cause always gives the same id, so that a line that is read twice takes effect once. */
export function derivedId<T extends string>(...cause: readonly (string | number)[]): T {
  const hash = createHash('sha256').update(cause.join('\n')).digest().subarray(0, 16)
  // UUID version 8 is for custom ids; the variant is the standard one.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-') as T
}
