import { RE2JS, RE2JSException } from 're2js'
import { fail, ok, type Result } from '../../../lib/result.ts'

/** Whether a line is one of those looked for. */
export type LineTest = (line: string) => boolean

const longestPattern = 1000

/** Words in either case, or a regular expression in linear time. */
export function lineTest(query: string, regex: boolean): Result<LineTest> {
  if (query === '') return fail({ kind: 'invalid', code: 'invalid_query', message: 'The search text is empty.' })
  if (!regex) {
    const wanted = query.toLowerCase()
    return ok((line) => line.length >= query.length && line.toLowerCase().includes(wanted))
  }
  if (query.length > longestPattern) return invalid(query, 'it is longer than 1,000 characters', longestPattern)
  try {
    const pattern = RE2JS.compile(query)
    return ok((line) => pattern.test(line))
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return invalid(query, error.message, positionOf(query, error))
  }
}

function invalid(query: string, why: string, position: number): Result<LineTest> {
  return fail({
    kind: 'invalid',
    code: 'invalid_regex',
    message: `The regular expression is invalid at character ${position + 1}: ${why}.`,
    hint: 'RE2 syntax: no look-around, no back-references. Without `regex` the text is searched literally.',
    details: { pattern: query.slice(0, longestPattern), position },
  })
}

/** The library names the part it did not like, not its place. */
function positionOf(query: string, error: RE2JSException): number {
  const part: unknown = 'input' in error ? error.input : null
  const at = typeof part === 'string' && part !== '' ? query.lastIndexOf(part) : -1
  return Math.max(0, at)
}
