/** Doubling delay with a ceiling; `attempt` counts from 1. */
export const backoff = (attempt: number, firstMs: number, longestMs: number): number =>
  Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 30))
