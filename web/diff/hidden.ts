/** A character that can't be seen, or that turns what stands beside it around. */
export type Hidden = { code: string; name: string }

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

/** From and up to. A tab is not among them, and a space only where it is not the ordinary one. */
const ranges: readonly (readonly [number, number])[] = [
  [0x00, 0x08],
  [0x0a, 0x1f],
  [0x7f, 0xa0],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200c],
  [0x200e, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0e],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xd800, 0xdfff],
  [0xe0000, 0xe0fff],
]
const written = ranges.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join('-')).join('')
// Joiners and variation selectors belong into emoji; anywhere else they only hide.
const astray = String.raw`(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d|(?<![\p{Emoji}])\ufe0f`
const hidden = new RegExp(`[${written}]|${astray}`, 'gu')

// Nearly every line is plain, and to see that is quick.
const isPlain = (text: string): boolean => !/[^\t -~]/.test(text)

/** Where the hidden characters of a text are. */
export function findHidden(text: string): { at: number; length: number; hidden: Hidden }[] {
  if (isPlain(text)) return []
  return Array.from(text.matchAll(hidden), ({ 0: char, index }) => {
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return { at: index, length: char.length, hidden: { code, name: names[code] ?? kindOf(code) } }
  })
}

const kindOf = (code: string): string => {
  const value = Number.parseInt(code, 16)
  if (value < 0xa0) return 'control character'
  if (value >= 0xd800 && value <= 0xdfff) return 'half a character'
  if (value >= 0xe0000) return 'tag or variation character'
  return 'character that can not be seen'
}

export const countHidden = (text: string): number => {
  if (isPlain(text)) return 0
  let count = 0
  for (const _ of text.matchAll(hidden)) count += 1
  return count
}

const longestName = 500

/** A name, as it can be trusted to be read. */
export const shownName = (name: string): string =>
  clipped(name).replaceAll(
    hidden,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )

const clipped = (name: string): string => (name.length > longestName ? `${name.slice(0, longestName)}…` : name)
