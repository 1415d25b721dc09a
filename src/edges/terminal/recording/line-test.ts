import { RE2JS, RE2JSException } from 're2js'
import { fail, ok, type Result } from '../../../lib/result.ts'

/** What a search looks for. */
export type LineTest = {
  /** Whether a line matches. */
  matches(line: string): boolean
  /** Bytes that every matching line contains in lower case; null if there is nothing that all of them contain. */
  readonly needle: Buffer | null
}

const longestPattern = 1000

/** Words in either case, or a regular expression in linear time. */
export function lineTest(query: string, regex: boolean): Result<LineTest> {
  if (query === '') return fail({ kind: 'invalid', code: 'invalid_query', message: 'The search text is empty.' })
  if (!regex) {
    const wanted = query.toLowerCase()
    return ok({
      matches: (line) => line.length >= query.length && line.toLowerCase().includes(wanted),
      // Half a character has no bytes of its own.
      needle: wanted.isWellFormed() ? Buffer.from(wanted) : null,
    })
  }
  if (query.length > longestPattern) return invalid(query, 'it is longer than 1,000 characters', longestPattern)
  try {
    const pattern = RE2JS.compile(query)
    const literal = requiredText(query)
    return ok({ matches: (line) => pattern.test(line), needle: literal === '' ? null : Buffer.from(literal) })
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return invalid(query, error.message, positionOf(query, error))
  }
}

/**
 * The longest plain ASCII text, in lower case, that every match of a regular expression contains; '' if none is sure. Only
 * what is outside groups, classes and alternatives counts, so it may find less than there is, never more.
 */
export function requiredText(pattern: string): string {
  if (pattern.includes('|') || pattern.includes('(?') || pattern.includes('\\Q')) return ''
  let longest = ''
  let run = ''
  let depth = 0
  const end = () => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? ''
    if (character === '[') {
      end()
      at = classEnd(pattern, at)
    } else if (character === '\\') {
      at += 1
      const escaped = pattern[at] ?? ''
      if (/[!-/:-@[-`{-~]/.test(escaped)) add(escaped)
      else {
        end()
        at = escapeEnd(pattern, at)
      }
    } else if (character === '(' || character === ')') {
      end()
      depth += character === '(' ? 1 : -1
    } else if (/[*?{]/.test(character) || (character === '+' && /[*{]/.test(pattern[at + 1] ?? ''))) {
      // What it repeats may not be there at all.
      run = run.slice(0, -1)
      end()
      if (character === '{') at = Math.max(at, pattern.indexOf('}', at))
    } else if (/[ !"#%&',\-/0-9:;<=>@A-Z_`a-z~]/.test(character)) add(character)
    else end()
  }
  end()
  return longest.toLowerCase()

  function add(character: string): void {
    if (depth === 0) run += character
  }
}

/** The position of the bracket that closes a class. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1
  if (pattern[at] === '^') at += 1
  if (pattern[at] === ']') at += 1
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\') at += 1
    else if (pattern.startsWith('[:', at)) at = Math.max(at, pattern.indexOf(':]', at) + 1)
  }
  return at
}

/** The last position of an escape such as `\d`, `\pL`, `\p{Greek}`, `\x41`, `\x{10FFFF}` or `\012`. */
function escapeEnd(pattern: string, at: number): number {
  const found = /^(?:[pPx]\{[^}]*\}|[pP].|x[0-9a-fA-F]{2}|[0-7]{1,3}|.)/su.exec(pattern.slice(at))
  return at + (found?.[0].length ?? 1) - 1
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

/** The library names the invalid part, not its position. */
function positionOf(query: string, error: RE2JSException): number {
  const part: unknown = 'input' in error ? error.input : null
  const at = typeof part === 'string' && part !== '' ? query.lastIndexOf(part) : -1
  return Math.max(0, at)
}
