import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { once } from './lazy.ts'

/** Whether a text matches somewhere. The time is linear in the text, whatever the pattern. */
export type LinearRegex = (text: string) => boolean

/** Loaded by the first pattern: its tables of characters are an eighth of the server's code, and few servers have patterns. */
const re2 = once(() => createRequire(import.meta.url)('re2js') as typeof Re2)

/** Null if the pattern is invalid, or needs what linear time can't offer, such as back-references. */
export function linearRegex(pattern: string, { caseInsensitive = false } = {}): LinearRegex | null {
  const { RE2JS, RE2JSException } = re2()
  try {
    const compiled = RE2JS.compile(pattern, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0)
    return (text) => compiled.matcher(text).find()
  } catch (error) {
    if (error instanceof RE2JSException) return null
    throw error
  }
}
