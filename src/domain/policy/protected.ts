import { protectedPart } from '../../lib/protected-files.ts'

/** The part of a relative path that no policy ever answers for, or null. */
export const neverAutomatic = (path: string, access: 'write' | 'read' = 'write'): string | null =>
  protectedPart(path, access)
