import { ApiError } from '../../../src/client/calls.ts'

/** Nobody said whether it was done: the server was not reached, or something before it answered in its place. */
export const isUnknown = (error: unknown): boolean =>
  !(error instanceof ApiError) || (error.status >= 500 && error.code === 'unexpected_answer')

/** Reads until the server says something; `again` settles when it may be reached. */
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
