import { widthOf } from '../lib/text-width.ts'

/** Created on first use: it takes longer than most commands. */
let segmenter: Intl.Segmenter | undefined
const graphemes = (text: string) => (segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })).segment(text)

const ascii = /^[ -~]*$/

/** A combined emoji is drawn as one. */
const graphemeWidth = (grapheme: string): number => (grapheme.includes('\ufe0f') ? 2 : Math.min(2, widthOf(grapheme)))

/** Terminal columns of a text. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += graphemeWidth(segment)
  return width
}

/** Cuts a text to this many columns, ending in `…`. */
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
