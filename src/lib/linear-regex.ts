import { RE2JS, RE2JSException } from 're2js'

/** Whether a text matches somewhere. The time is linear in the text, whatever the pattern. */
export type LinearRegex = (text: string) => boolean

/** Null if the pattern is invalid, or needs what linear time can't offer, such as back-references. */
export function linearRegex(pattern: string, { caseInsensitive = false } = {}): LinearRegex | null {
  try {
    const compiled = RE2JS.compile(pattern, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0)
    return (text) => compiled.matcher(text).find()
  } catch (error) {
    if (error instanceof RE2JSException) return null
    throw error
  }
}
