import type { View } from './view.ts'
import { marked } from './view.ts'
import { decoration, oneLine, question as questionMark, withoutBorders } from './strip.ts'

const shellPrompt = /^(.*?(?:[\w\])~/]\s?[$#%>]|[❯➜λ»›]|^[>$#%]|^\S{0,20}>+|^\.\.\.))\s+\S/u
const filled = /^(.*[:?>»›❯)\]：？])\s+\S.*$/u

/** Prompt libraries show the default after their mark. */
const initial = /^(\s*\?\s.*\s[›‣])\s+(?![(-])\S/u

/** The prompt on the cursor's line, without what was typed or filled in after it. */
export function promptOnLine(view: View, ends: boolean): string {
  const text = afterOutput(view, lastColumn(view, beforeCursor(view).trimEnd()))
  const { screen } = view
  // The command line of an editor or a pager: only the sign is the prompt, the rest was typed.
  if (
    !ends &&
    screen.alternate &&
    !screen.cursor.hidden &&
    screen.cursor.row === screen.rows - 1 &&
    /^[:/]\p{L}/u.test(text)
  )
    return text.slice(0, 1)
  if (ends || /[[(][^\s[\]()]{1,12}[\])]$/u.test(text)) return oneLine(initial.exec(text)?.[1] ?? text)
  const editing = view.screen.bracketedPaste && !view.screen.alternate
  const typed = (editing ? shellPrompt.exec(text) : null) ?? filled.exec(text)
  return oneLine(typed?.[1] ?? text)
}

const answeredBefore = /^(\S{1,80}(?: \S{1,80})?[>#$%)\]])\s\S/u

/** If the last output has no line end, the prompt is the part that also precedes the commands above. */
function afterOutput({ lines, at, screen }: View, text: string): string {
  if (screen.alternate) return text
  for (const line of lines.slice(Math.max(0, at - 30), at).toReversed()) {
    const known = answeredBefore.exec(line.text)?.[1]
    if (known !== undefined && known.length >= 3 && text.endsWith(known) && /\S$/u.test(text.slice(0, -known.length)))
      return known
  }
  return text
}

/** Full-screen programs show keys on the same line as the question, which comes last. */
function lastColumn({ screen }: View, text: string): string {
  return screen.alternate && screen.cursor.row === screen.rows - 1 ? (text.split(/\s{3,}/).at(-1) ?? text) : text
}

/** In a box drawn with `|`, only its left side is before the cursor. */
const withoutLeftSide = ({ before, after }: View): string =>
  /^\s*\|(?=\s?\p{L})/u.test(before) && /\s\|\s*$/u.test(after) ? before.replace('|', ' ') : withoutBorders(before)

/** The text before the cursor, joined with a question that its library split over rows or put above a counter. */
export function beforeCursor(view: View): string {
  const text = withoutLeftSide(view)
  const above = view.lines[view.at - 1]
  if (text.trim() === '' || above === undefined || !questionMark.test(above.text) || decoration.test(text.trim()))
    return text
  const first = oneLine(above.text)
  if (/^\s*\(\d+\)\s*$/.test(text)) return `${first} `
  const word = text.trim().split(' ')[0] ?? ''
  const wraps = above.text.length + word.length + 1 >= view.screen.cols
  const bold = marked(view.lines[view.at] ?? above, 'bold', 0, 1)
  return wraps && (bold || above.text.length > view.screen.cols - 16) ? `${first} ${text}` : text
}
