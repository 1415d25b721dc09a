const nothing = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u
const wide =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]$/u

const unknown = 3
const known = new Uint8Array(0x1_0000).fill(unknown)

/** The columns a character takes: none if it combines with the character before it. */
export function charWidth(code: number): 0 | 1 | 2 {
  if (code < 32) return 0
  if (code < 127) return 1
  if (code >= known.length) return lookUp(code)
  const width = known[code]
  if (width === 0 || width === 1 || width === 2) return width
  const found = lookUp(code)
  known[code] = found
  return found
}

function lookUp(code: number): 0 | 1 | 2 {
  const char = String.fromCodePoint(code)
  // The soft hyphen is a format character that terminals show.
  if (code !== 0xad && nothing.test(char)) return 0
  return wide.test(char) ? 2 : 1
}

const ascii = /^[ -~]*$/

export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const char of text) width += charWidth(char.codePointAt(0) ?? 0)
  return width
}

/** How many UTF-16 units of a text come before a column. */
export function unitsBefore(text: string, column: number): number {
  let units = 0
  let at = 0
  for (const char of text) {
    const width = charWidth(char.codePointAt(0) ?? 0)
    if (at + width > column) break
    if (at >= column && width > 0) break
    at += width
    units += char.length
  }
  return units
}
