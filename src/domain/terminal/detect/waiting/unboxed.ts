import { isDrawing, oneLine } from '../text/strip.ts'
import { marked, type View } from '../text/view.ts'
import type { MenuOption } from './menu.ts'
import { isButton } from './dialog.ts'
import { hint } from './menu-question.ts'

type DrawnButtons = { question: string; options: MenuOption[] }

/** Buttons side by side without a frame, under a question, in programs that hide the cursor. */
export function findButtons({ screen }: View): DrawnButtons | null {
  const { lines, cursor } = screen
  if (!cursor.hidden) return null
  const end = lines.findLastIndex(({ text }) => text.trim() !== '')
  for (let row = end; row > 0 && row > end - 5; row -= 1) {
    const line = lines[row]
    const text = line?.text ?? ''
    const words = [...text.matchAll(/[^\s│┃|]+(?: [^\s│┃|]+)*/gu)]
    const apart = words.length >= 2 && words.length <= 4 && words.every(([word]) => isButton(bare(word)))
    if (line !== undefined && apart) {
      const question = questionOver(lines, row)
      const options = words.map(({ 0: word, index }) => ({
        key: null,
        label: bare(word),
        selected: marked(line, 'inverse', index, index + word.length),
      }))
      return question === null ? null : { question, options }
    }
    if (text.trim() !== '' && !isDrawing(text) && !hint.test(text)) return null
  }
  return null
}

const bare = (word: string): string => word.replaceAll(/^[[<(›❯>\s]+|[\])>\s]+$/gu, '')

function questionOver(lines: View['screen']['lines'], row: number): string | null {
  const texts = lines.slice(Math.max(0, row - 4), row).map(({ text }) => text.replaceAll(/[│┃|]/gu, ' ').trim())
  const last = texts.findLastIndex((text) => text !== '' && !isDrawing(text))
  if (last === -1) return null
  // A note may be below the question.
  const noted = /[?？]$/u.test(texts[last - 1] ?? '') && /[.。]$/u.test(texts[last] ?? '')
  return oneLine(texts[noted ? last - 1 : last] ?? '')
}

/** The list at the left of a full screen, under its own heading, with the selected entry at the cursor. */
export function findPanel({ screen }: View): DrawnButtons | null {
  const { lines, cursor } = screen
  if (!cursor.hidden) return null
  const cell = (row: number): string => (lines[row]?.text ?? '').split(/\s{3,}/u)[0]?.trimEnd() ?? ''
  let top = cursor.row
  while (top > 0 && cell(top) !== '' && !/^\p{Lu}[\p{L} ]{2,40}:$/u.test(cell(top))) top -= 1
  const question = cell(top)
  if (!question.endsWith(':') || cursor.row - top < 1) return null
  let last = cursor.row
  while (last + 1 < lines.length - 1 && cell(last + 1) !== '') last += 1
  const options = lines.slice(top + 1, last + 1).map((_, index) => {
    const row = top + 1 + index
    return { key: null, label: oneLine(cell(row)), selected: row === cursor.row }
  })
  return options.length < 2 ? null : { question: oneLine(question), options }
}
