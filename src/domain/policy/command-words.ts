/** A word of a command line: its value, and how it was written. */
export type CommandWord = {
  readonly text: string
  readonly raw: string
  /** Means the same in every shell. Other words match only if they are written identically. */
  readonly plain: boolean
}

const longest = 8192

// Control and invisible characters, newlines, unusual spaces, bidirectional marks and lone surrogates.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|[^\P{Zs} ]/u
const operator = /[;|&<>()`]/
const plainBare = /[A-Za-z0-9_./:@,+=-]/
const plainQuoted = /[ !#%&()*,./:;<=>?@[\]^{|}~\w+-]/

/** Whether a person sees all of a text as it is. */
export const isVisible = (text: string): boolean => !invisible.test(text)

/**
 * The words of one simple command as a POSIX shell would read them. Null for anything more: operators, substitutions,
 * redirections, comments, leading assignments, unbalanced quotes, invisible characters.
 */
export function readWords(line: string): CommandWord[] | null {
  const words = splitWords(line)
  const first = words?.[0]
  // `X=1 cmd`, `X+=1 cmd` and `X[0]=1 cmd` set variables; `=cmd` is a path in some shells; `{`, `!` and `[[` are syntax.
  return words && first && /^[\w./@+:,'" -]+$/.test(first.raw) && first.text !== '' ? words : null
}

/** As `readWords`, but with any first word. */
export function splitWords(line: string): CommandWord[] | null {
  if (line.length > longest || invisible.test(line)) return null
  const words: CommandWord[] = []
  let at = 0
  while (at < line.length) {
    if (line[at] === ' ') {
      at += 1
      continue
    }
    const word = readWord(line, at)
    if (!word) return null
    words.push(word)
    at += word.raw.length
  }
  return words
}

function readWord(line: string, start: number): CommandWord | null {
  let [text, plain, at] = ['', true, start]
  if (line[start] === '#') return null
  while (at < line.length && line[at] !== ' ') {
    const char = line[at] ?? ''
    if (operator.test(char)) return null
    if (char === "'" || char === '"') {
      const part = char === "'" ? readSingle(line, at) : readDouble(line, at)
      if (!part) return null
      text += part.text
      plain &&= part.plain
      at = part.end
    } else if (char === '\\') {
      const next = line[at + 1]
      if (next === undefined) return null
      text += next
      plain = false
      at += 2
    } else {
      if (char === '$' && /['"({[]/.test(line[at + 1] ?? '')) return null
      plain &&= plainBare.test(char)
      text += char
      at += 1
    }
  }
  const raw = line.slice(start, at)
  return { text, raw, plain: plain && text !== '' && !raw.startsWith('=') }
}

type QuotedPart = { text: string; plain: boolean; end: number }

const isPlainQuoted = (text: string): boolean =>
  Array.from(text).every((char) => plainQuoted.test(char) && char !== '!')

function readSingle(line: string, start: number): QuotedPart | null {
  const end = line.indexOf("'", start + 1)
  if (end < 0) return null
  const text = line.slice(start + 1, end)
  return { text, plain: isPlainQuoted(text), end: end + 1 }
}

function readDouble(line: string, start: number): QuotedPart | null {
  let [text, plain, at] = ['', true, start + 1]
  for (;;) {
    const char = line[at]
    if (char === undefined || char === '`') return null
    if (char === '"') return { text, plain: plain && isPlainQuoted(text), end: at + 1 }
    if (char === '$' && /[({[]/.test(line[at + 1] ?? '')) return null
    if (char === '\\') {
      const next = line[at + 1]
      if (next === undefined) return null
      text += /["\\$`]/.test(next) ? next : `\\${next}`
      plain = false
      at += 2
    } else {
      plain &&= char !== '$'
      text += char
      at += 1
    }
  }
}

/** One line that a shell reads as exactly these words. */
export const lineOf = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w./:@,+-][\w./:@,+=-]*$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ')

/** Words as one key; no word contains a NUL. */
export const keyOf = (words: readonly { text: string }[]): string => words.map(({ text }) => text).join('\0')

const isSameWord = (a: CommandWord, b: CommandWord): boolean =>
  a.plain && b.plain ? a.text === b.text : a.raw === b.raw

export const isSame = (a: readonly CommandWord[], b: readonly CommandWord[]): boolean =>
  a.length === b.length && a.every((word, index) => isSameWord(word, b[index] ?? word))
