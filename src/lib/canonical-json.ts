/** JSON with sorted keys, so that equal values have equal hashes. */
export function canonicalJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (_key, part: unknown) =>
      part !== null && typeof part === 'object' && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
        : part,
    indent,
  )
}
