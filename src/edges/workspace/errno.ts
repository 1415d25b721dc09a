/** The code of a system error, or null. */
export const errnoOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

/** For `catch`: errors with one of these codes become `instead`; others are rethrown. */
export const ifErrno =
  <T>(codes: readonly string[], instead: T) =>
  (error: unknown): T => {
    if (codes.includes(errnoOf(error) ?? '')) return instead
    throw error
  }
