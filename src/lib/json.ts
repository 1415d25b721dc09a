import * as z from 'zod'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export const Json: z.ZodType<Json> = z.json()

/** JSON with sorted keys, so that equal values have equal hashes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  )
}
