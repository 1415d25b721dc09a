type CharacterRange = readonly [from: number, to: number]

/** Invisible characters, and those that change the order or look of nearby text. Not tabs and line ends. */
const unseen: readonly CharacterRange[] = [
  [0x00, 0x08],
  [0x0b, 0x0c],
  [0x0e, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0d],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xd800, 0xdfff],
  [0xe0000, 0xe0fff],
]
/** Misleading in code: line ends inside a line, unusual spaces, joiners. */
const unusual: readonly CharacterRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0xa0, 0xa0],
  [0x2000, 0x200a],
  [0x200c, 0x200c],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]

const emoji = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f`
// Joiners and variation selectors belong in emoji and some scripts; elsewhere they only serve to hide something.
const astray = String.raw`(?<=[ -~])[\u200c\u200d]|(?<![\p{L}\p{M}${emoji}])[\u200c\u200d]|(?<!\p{Emoji})[\ufe0e\ufe0f]`

const written = (ranges: readonly CharacterRange[]): string =>
  ranges.map((range) => range.map((code) => `\\u{${code.toString(16)}}`).join('-')).join('')

/** For prose. */
export const hiddenInText = new RegExp(`[${written(unseen)}]|${astray}`, 'gu')
/** For code, where look-alikes count as hidden too. */
export const hiddenInCode = new RegExp(`[${written([...unseen, ...unusual])}]|${astray}|(?<![${emoji}])\\u200d`, 'gu')

export const codeOf = (char: string): string => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

const plain = /^[ -~\t]*$/

/** Hidden characters in readable form. Most lines have none, which is seen at once. */
export const showHidden = (text: string, pattern: RegExp): string =>
  plain.test(text) ? text : text.replaceAll(pattern, named)

/** A hidden character in readable form. */
export const named = (char: string): string => `⟨U+${codeOf(char)}⟩`
