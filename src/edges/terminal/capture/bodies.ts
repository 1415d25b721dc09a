import { allBut, setOf, untilQuote, type ByteSet } from './byte-set.ts'
import { sequenceEnd } from './escapes.ts'
import type { Body, Looks } from './masks.ts'

/**
 * Whether the text after a word is a secret.
 * - more: undecided; text from `keep` on must be held, earlier text need not.
 * - secret: it starts at `from`, and continues while bytes are in `set`.
 */
export type SecretMatch =
  | { readonly is: 'no' }
  | { readonly is: 'more'; readonly keep: number }
  | { readonly is: 'secret'; readonly from: number; readonly set: ByteSet }

const no: SecretMatch = { is: 'no' }
const enough = 64
const longestLogin = 256
const unquoted = allBut('&;"\'`<>)|')
const quoted: Readonly<Record<string, ByteSet>> = {
  '"': untilQuote('"'),
  "'": untilQuote("'"),
  '`': untilQuote('`'),
  '\\': untilQuote('\\"'),
}
const flagged = allBut('"\'`<>|')
const user = allBut('/@:?#"\'<>\\')
const login = allBut('/@?#"\'<>\\')
const digit = setOf('0-9*')
const letter = setOf('A-Za-z*')
const placeholder = setOf('<{[(')

/** `late`: the text has waited long enough; only the first character is still waited for. */
export function tell(body: Exclude<Body, { kind: 'key' }>, bytes: Buffer, at: number, late: boolean): SecretMatch {
  switch (body.kind) {
    case 'run':
      return tellRun(bytes, at, body, late)
    case 'value':
      return tellValue(bytes, at, late)
    case 'flag':
      return tellFlag(bytes, at, late)
    case 'login':
      return tellLogin(bytes, at, late)
    default:
      return body satisfies never
  }
}

/** The position of the next byte outside an escape sequence. */
export function plainAt(bytes: Buffer, at: number): number {
  let next = at
  while (bytes[next] === 0x1b) next = sequenceEnd(bytes, next)
  return Math.min(next, bytes.length)
}

type BodyRun = { readonly set: ByteSet; readonly min: number; readonly looks: Looks; readonly sure: boolean }

function tellRun(bytes: Buffer, start: number, run: BodyRun, late: boolean): SecretMatch {
  const from = plainAt(bytes, start)
  let count = 0
  let hasDigit = false
  let hasLetter = false
  for (let at = from; at < bytes.length; at = plainAt(bytes, at + 1)) {
    const byte = bytes[at] ?? 0
    if (run.set[byte] !== 1) return no
    count += 1
    hasDigit ||= digit[byte] === 1
    hasLetter ||= letter[byte] === 1
    const isLike = run.looks === 'any' || (hasDigit && hasLetter)
    if (count >= run.min && (isLike || count >= enough)) return { is: 'secret', from, set: run.set }
  }
  if (count === 0 || !late) return { is: 'more', keep: count === 0 ? bytes.length : from }
  return run.sure ? { is: 'secret', from, set: run.set } : no
}

const char = (bytes: Buffer, at: number): string => (at < bytes.length ? String.fromCharCode(bytes[at] ?? 0) : '')
const isBlank = (c: string): boolean => c === ' ' || c === '\t'
const isQuote = (c: string): boolean => c === '"' || c === "'" || c === '`'

function afterBlanks(bytes: Buffer, from: number): number {
  let at = plainAt(bytes, from)
  for (let count = 0; count < 8 && isBlank(char(bytes, at)); count++) at = plainAt(bytes, at + 1)
  return at
}

/** `= value`, `: value`, `": "value"`, `:= value`, `=> value`; the quotes may be escaped once more. */
function tellValue(bytes: Buffer, from: number, late: boolean): SecretMatch {
  let at = plainAt(bytes, from)
  if (char(bytes, at) === '\\') at = plainAt(bytes, at + 1)
  if (isQuote(char(bytes, at))) at = plainAt(bytes, at + 1)
  at = afterBlanks(bytes, at)
  const sign = char(bytes, at)
  if (sign !== '' && sign !== '=' && sign !== ':') return no
  if (sign !== '') at = plainAt(bytes, at + 1)
  const second = char(bytes, at)
  if (sign === '=' && second === '=') return no
  if ((sign === '=' && second === '>') || (sign === ':' && second === '=')) at = plainAt(bytes, at + 1)
  at = afterBlanks(bytes, at)
  const escaped = char(bytes, at) === '\\'
  const opening = escaped ? plainAt(bytes, at + 1) : at
  const quote = char(bytes, opening)
  if (quote === '') return { is: 'more', keep: escaped && !late ? at : bytes.length }
  if (isQuote(quote)) {
    const first = plainAt(bytes, opening + 1)
    if (first >= bytes.length) return { is: 'more', keep: bytes.length }
    const set = quoted[escaped ? '\\' : quote] ?? unquoted
    return isNone(bytes, first, set, late) ?? { is: 'secret', from: first, set }
  }
  if (sign === ':' && second !== '=') {
    return tellRun(bytes, at, { set: unquoted, min: 8, looks: 'digit', sure: false }, late)
  }
  return isNone(bytes, at, unquoted, late) ?? { is: 'secret', from: at, set: unquoted }
}

/** Not a value but a placeholder, or nothing: `<token>`, `${TOKEN}`, `[hidden]`, `%s`. */
function isNone(bytes: Buffer, at: number, set: ByteSet, late: boolean): SecretMatch | null {
  const first = char(bytes, at)
  if (set[bytes[at] ?? 0] !== 1 || placeholder[bytes[at] ?? 0] === 1) return no
  if (first !== '$' && first !== '%') return null
  const next = char(bytes, plainAt(bytes, at + 1))
  if (next === '') return late ? null : { is: 'more', keep: at }
  return first === '$' ? (/[A-Z{(]/.test(next) ? no : null) : /[sdv({]/.test(next) ? no : null
}

/** A separate word after one space that does not look like the name of a value. */
function tellFlag(bytes: Buffer, from: number, late: boolean): SecretMatch {
  const blank = plainAt(bytes, from)
  if (blank >= bytes.length) return { is: 'more', keep: bytes.length }
  if (!isBlank(char(bytes, blank))) return no
  const at = plainAt(bytes, blank + 1)
  if (isQuote(char(bytes, at))) {
    const first = plainAt(bytes, at + 1)
    const set = quoted[char(bytes, at)] ?? flagged
    return first >= bytes.length ? { is: 'more', keep: bytes.length } : { is: 'secret', from: first, set }
  }
  return tellRun(bytes, at, { set: flagged, min: 6, looks: 'digit', sure: false }, late)
}

/** `user:password@` after `://`; a port is followed by something else. */
function tellLogin(bytes: Buffer, from: number, late: boolean): SecretMatch {
  let at = plainAt(bytes, from)
  let count = 0
  for (; at < bytes.length && user[bytes[at] ?? 0] === 1; at = plainAt(bytes, at + 1)) {
    count += 1
    if (count > longestLogin) return no
  }
  if (at >= bytes.length) return { is: 'more', keep: bytes.length }
  if (char(bytes, at) !== ':') return no
  const first = plainAt(bytes, at + 1)
  let isPort = true
  for (count = 0, at = first; at < bytes.length && login[bytes[at] ?? 0] === 1; at = plainAt(bytes, at + 1)) {
    isPort &&= digit[bytes[at] ?? 0] === 1
    count += 1
    if (count > longestLogin) return no
  }
  if (at >= bytes.length) {
    if (count === 0) return { is: 'more', keep: bytes.length }
    if (!late) return { is: 'more', keep: first }
    return isPort ? no : { is: 'secret', from: first, set: login }
  }
  return char(bytes, at) === '@' && count > 0 ? { is: 'secret', from: first, set: login } : no
}
