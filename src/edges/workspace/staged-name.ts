/**
 * The name of a staged file, written beside its target. The same id and number give the same name, so that files left by a
 * crash are found. An id is a UUID, or 32 hexadecimal digits.
 */
export const stagedName = (id: string, number?: number): string =>
  `.signalbox-${id}${number === undefined ? '' : `-${number}`}.tmp`

const staged = /^\.signalbox-(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})(?:-\d+)?\.tmp$/

/** Left behind by an interrupted write of ours. */
export const isStagedName = (name: string): boolean => staged.test(name)
