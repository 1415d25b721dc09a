/** Made when it is first needed: that takes longer than most commands. */
let segmenter: Intl.Segmenter | undefined
const graphemes = (text: string) => (segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })).segment(text)

const ascii = /^[ -~]*$/
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303e\uff01-\uff60\uffe0-\uffe6])|\ufe0f/u
const nothing = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

function graphemeWidth(grapheme: string): number {
  if (nothing.test(grapheme)) return 0
  return wide.test(grapheme) ? 2 : 1
}

/** Columns a text takes on a terminal. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment)
  return width
}

/** At most so many columns; what is cut off shows as `…`. */
export function fit(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  if (columns <= 1) return columns === 1 ? '…' : ''
  let kept = ''
  let width = 0
  for (const { segment } of graphemes(text)) {
    width += graphemeWidth(segment)
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

export const pad = (text: string, columns: number): string => text + ' '.repeat(Math.max(0, columns - textWidth(text)))
