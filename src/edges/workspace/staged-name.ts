/**
 * The name of what is written beside a file before it takes its place. Of the same id, and number within it, it is the
 * same again, so that what a crash left is found. An id is a UUID, or 32 hexadecimal digits.
 */
export const stagedName = (id: string, number?: number): string =>
  `.signalbox-${id}${number === undefined ? '' : `-${number}`}.tmp`

const staged = /^\.signalbox-(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})(?:-\d+)?\.tmp$/

/** What a write of ours that was cut off leaves behind: nobody's work. */
export const isStagedName = (name: string): boolean => staged.test(name)
