import { ApiError } from '../../../src/client/calls.ts'

/** The outcome is unknown: the server was not reached, or a proxy answered for it. */
export const isUnknown = (error: unknown): boolean =>
  !(error instanceof ApiError) || (error.status >= 500 && error.code === 'unexpected_answer')

/** Reads until the server answers; `again` settles when it may be reachable. */
export async function untilKnown<T>(read: () => Promise<T>, again: () => Promise<void>): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!isUnknown(error)) throw error
      await again()
    }
  }
}
