import { oneLine, question as questionMark, withoutBorders } from '../text/strip.ts'
import type { View } from '../text/view.ts'
import type { MenuOption } from './menu.ts'
import { hint } from './menu-question.ts'
import { animated, tellsWork, workingSign } from './working-signs.ts'

/** A screen on which nothing moves and that no other check explains. */
export type Still = { why: string; question: string; options: MenuOption[] | null }

/**
 * Programs hide the cursor to draw their own list or animation, and full-screen programs leave it in the text where
 * something is typed. Without a sign of work the screen waits for input; only silence can confirm that.
 */
export function findStill(view: View): Still | null {
  const { screen } = view
  const texts = screen.lines.map(({ text }) => withoutBorders(text))
  const end = texts.findLastIndex((text) => text.trim() !== '')
  const shown = texts.slice(Math.max(0, end - 12), end + 1)
  if (shown.length < 2 || shown.some(works)) return null
  if (!screen.alternate)
    return screen.cursor.hidden ? { why: 'the cursor is hidden and nothing changes', ...asked(texts, end) } : null
  const line = texts[screen.cursor.row] ?? ''
  if (screen.cursor.hidden || line.trim() === '') return null
  const label = screen.cursor.row === screen.rows - 1 ? /^\s*(\p{L}[^\n]{0,100}?[:?])\s+\S/u.exec(line)?.[1] : undefined
  return { why: 'the cursor is in the text of a full-screen program', question: oneLine(label ?? ''), options: null }
}

const goesOn =
  /(?<![\p{L}])(?:refresh|updat|reload|scann|search|load|connect|retriev|download|recover)(?:ing|ed every)(?![\p{L}])|ctrl[-+]c|\^C|every \d+(?:\.\d+)?\s?s|(?<!(?:step|page|part|question) |[\d/.])\d+(?:\/| of )\d+(?![\d/])/iu

const works = (text: string): boolean =>
  animated(text) || goesOn.test(text) || tellsWork(text) || (workingSign(text) !== null && !/^\s*[.\s]*$/u.test(text))

/** The nearest line above that asks, else the one with instructions; and the list below it. */
function asked(texts: readonly string[], end: number): Pick<Still, 'question' | 'options'> {
  const near = texts.slice(Math.max(0, end - 24), end + 1).map((text) => text.trim())
  const forms = [
    (text: string) => questionMark.test(text) || /\p{L}[^?？]*[?？]\s*(?:[[(].{0,60})?$/u.test(text),
    (text: string) => /\p{L}.*[:：]$/u.test(text),
    (text: string) => /^(?:please )?(?:select|choose|pick|enter|type|paste)(?![\p{L}])/iu.test(text),
  ]
  const at = forms.map((asks) => near.findLastIndex(asks)).find((row) => row !== -1)
  if (at === undefined) return { question: oneLine(near.find((text) => hint.test(text)) ?? ''), options: null }
  const list = near.slice(at + 1).filter((text) => text !== '' && !hint.test(text))
  const chosen = list.findIndex((text) => pointer.test(text))
  const options = list.map((text, row) => ({
    key: null,
    label: oneLine(text.replace(pointer, '')),
    selected: row === chosen,
  }))
  return { question: oneLine(near[at] ?? ''), options: chosen === -1 || list.length < 2 ? null : options }
}

const pointer = /^[❯›▸▶►➤➜]\s+(?=\S)/u
