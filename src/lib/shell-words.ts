import { hiddenInCode, named } from './hidden-characters.ts'

/** One line that a shell reads as exactly these words, so that it is unambiguous to show and compare. */
export const shellLine = (words: readonly string[]): string =>
  words.map((word, index) => (index === 0 && /^-|=/.test(word) ? quoted(word) : shellWord(word))).join(' ')

/** A word as a person would type it. */
export const shellWord = (word: string): string => (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word) ? word : quoted(word))

/** Uses ANSI-C quotes for characters that are invisible or change how others are displayed. */
const quoted = (word: string): string =>
  word.search(hiddenInCode) < 0 && !word.includes('\t')
    ? `'${word.replaceAll("'", String.raw`'\''`)}'`
    : `$'${word
        .replaceAll(/[\\']/g, String.raw`\$&`)
        .replaceAll('\t', String.raw`\t`)
        .replace(hiddenInCode, escaped)}'`

function escaped(char: string): string {
  if (char === '\n') return String.raw`\n`
  if (char === '\r') return String.raw`\r`
  const code = (char.codePointAt(0) ?? 0).toString(16)
  if (char < '\u0080') return String.raw`\x` + code.padStart(2, '0')
  return code.length <= 4 ? String.raw`\u` + code.padStart(4, '0') : String.raw`\U` + code.padStart(8, '0')
}

/** Keeps line ends; names all other invisible characters, and blanks at the end of a line. */
export const visibleText = (text: string): string =>
  text
    .replaceAll('⟨', named)
    .replace(hiddenInCode, (char) => (char === '\n' ? char : named(char)))
    .split('\n')
    .map(withBlanksNamed)
    .join('\n')

function withBlanksNamed(line: string): string {
  const kept = line.trimEnd()
  return kept + Array.from(line.slice(kept.length), named).join('')
}

/** On one line, with visible line ends; characters that do not fit are counted. */
export function visibleLine(text: string, most: number): string {
  const line = text.replaceAll('\n', ' ⏎ ')
  if (line.length <= most) return line
  const kept = Array.from(line.slice(0, most - 40)).join('')
  return `${kept}… (${line.length - kept.length} more characters)`
}
