import { codeOf, hiddenInCode, named } from '../../src/client/text.ts'

/** A character that is invisible, or that reverses the text beside it. */
export type HiddenCharacter = { code: string; name: string }

const names: Readonly<Record<string, string>> = {
  '0000': 'null',
  '0007': 'bell',
  '0008': 'backspace',
  '000D': 'carriage return',
  '001B': 'escape',
  '007F': 'delete',
  '00A0': 'no-break space',
  '00AD': 'soft hyphen',
  '061C': 'Arabic letter mark',
  '200B': 'zero width space',
  '200C': 'zero width non-joiner',
  '200D': 'zero width joiner',
  '200E': 'left-to-right mark',
  '200F': 'right-to-left mark',
  '2028': 'line separator',
  '2029': 'paragraph separator',
  '202A': 'left-to-right embedding',
  '202B': 'right-to-left embedding',
  '202C': 'end of embedding',
  '202D': 'left-to-right override',
  '202E': 'right-to-left override',
  '2060': 'word joiner',
  '2066': 'left-to-right isolate',
  '2067': 'right-to-left isolate',
  '2068': 'first strong isolate',
  '2069': 'end of isolate',
  '3164': 'Hangul filler',
  FEFF: 'byte order mark',
}

// Fast path: nearly every line is plain.
const isPlain = (text: string): boolean => !/[^\t -~]/.test(text)

/** Positions of hidden characters in a text. */
export function findHidden(text: string): { at: number; length: number; hidden: HiddenCharacter }[] {
  if (isPlain(text)) return []
  return Array.from(text.matchAll(hiddenInCode), ({ 0: char, index }) => {
    const code = codeOf(char)
    return { at: index, length: char.length, hidden: { code, name: names[code] ?? kindOf(code) } }
  })
}

const kindOf = (code: string): string => {
  const value = Number.parseInt(code, 16)
  if (value < 0xa0) return 'control character'
  if (value >= 0xd800 && value <= 0xdfff) return 'half a character'
  if (value >= 0xe0000) return 'tag or variation character'
  return 'invisible character'
}

export const countHidden = (text: string): number => {
  if (isPlain(text)) return 0
  let count = 0
  for (const _ of text.matchAll(hiddenInCode)) count += 1
  return count
}

const longestName = 500

/** A file name with hidden characters made visible. */
export const shownName = (name: string): string => clipped(name).replaceAll(hiddenInCode, named)

const clipped = (name: string): string => (name.length > longestName ? `${name.slice(0, longestName)}…` : name)
