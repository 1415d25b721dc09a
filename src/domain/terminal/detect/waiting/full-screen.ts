import { widthOf } from '../../../../lib/text-width.ts'
import { oneLine } from '../text/strip.ts'
import { marked, type View } from '../text/view.ts'
import { asksForKey } from './key-order.ts'
import { shapeOf } from './shape.ts'

/** Whether a full-screen program takes keys, judging from the screen. */
export function takesKeys(view: View): { says: boolean; why: string; text?: string } {
  const { screen, at, before, after, end } = view
  const keypad = screen.applicationCursor || screen.mouse || screen.bracketedPaste
  const words = screen.lines.filter(({ text }) => text.trim() !== '')
  const asked = words.length <= 16 ? words.slice(-4).findLast(({ text }) => asksForKey(text)) : undefined
  const begun = words.slice(words.length <= 16 ? -6 : -2).findLast(({ text }) => asksForKey(text) && begins.test(text))
  const key = asked ?? begun
  if (key !== undefined) return { says: true, why: 'it asks for a key', text: oneLine(key.text) }
  const only = words.length === 1 ? oneLine(words[0]?.text ?? '') : ''
  if (/[?？]\s*[[(]\S+\s?\/\s?\S+[\])]$/u.test(only))
    return { says: true, why: 'the whole screen is a question', text: only }
  if (!keypad && words.slice(-5).some(({ text }) => tellsKeys.test(text)))
    return { says: true, why: 'it lists its keys' }
  if (!keypad) return { says: false, why: 'a full-screen program that reads no keys' }
  if (words.length === 0) return { says: false, why: 'an empty screen' }
  const blankLine = before.trim() === '' && after.trim() === '' && screen.cursor.col === 0
  const status = screen.lines.at(-1)
  const textBelow = view.lines.slice(at + 1, end).some(({ text }) => text.trim() !== '')
  const bar =
    status !== undefined &&
    status.text.trim() !== '' &&
    (marked(status, 'color', 0, 2) || marked(status, 'inverse', 0, 2))
  if (blankLine && bar && !textBelow && !screen.mouse && !screen.bracketedPaste)
    return { says: false, why: 'an empty line above a status bar: a program runs in a multiplexer' }
  return { says: true, why: 'a full-screen program that reads keys' }
}

/** The line where a full-screen program takes commands and names: the last, or a bar near it. */
export function isCommandLine({ screen, before, after }: View): boolean {
  const { row, col, hidden } = screen.cursor
  if (before.trim() === '' || after.trim() !== '') return false
  if (row === screen.rows - 1) return !hidden || col < screen.cols - 1
  const line = screen.lines[row]
  return row >= screen.rows - 4 && line !== undefined && marked(line, 'inverse', 0, 1)
}

/** Only keys that start something count: a running program also names keys that pause or quit it. */
const begins = /(?<!\p{L})to (?:play|begin|start|continue)(?!\p{L})/iu

const tellsKeys =
  /\bF\d{1,2}[=:]\p{L}+\s+F\d|\buse (?:the )?(?:↑|up|arrow)\b.{0,30}\bkeys? to (?:select|move|scroll)|\bpress\b.{1,12}\b(?:to|for) (?:quit|exit|help)\b|\bfor help\b/iu

/** The cursor is on the default among the keys: `Save it? y/n/▮[C]`. */
export function askedOnLast({ screen }: View): string | null {
  const { row, col, hidden } = screen.cursor
  const text = (screen.lines[row]?.text ?? '').split(/\s{3,}/u)[0]?.trimEnd() ?? ''
  if (hidden || row !== screen.rows - 1 || col > widthOf(text) || !text.includes('?')) return null
  return /\?.*(?:\/|[\])])\s*\S*$/u.test(text) ? oneLine(text) : null
}

/** The cursor is on an empty last line, under the question. */
export function askedOverLast({ screen, before, after }: View): string | null {
  const { row, col } = screen.cursor
  if (row !== screen.rows - 1 || col > 0 || before.trim() !== '' || after.trim() !== '') return null
  const text = screen.lines[row - 1]?.text.trimEnd() ?? ''
  return /^\S.*[?:](?:\s*[[(][^[\]()]*[\])])?$/u.test(text) ? oneLine(text) : null
}

/** The cursor is on an empty line, right under the start of an instruction to type something. */
export function askedOverCursor({ screen, before, after }: View): string | null {
  const { row, col, hidden } = screen.cursor
  if (hidden || before.trim() !== '' || after.trim() !== '') return null
  const text = screen.lines[row - 1]?.text.trimEnd() ?? ''
  const order = /^(\s*)(?:please )?(?:enter|type|give|input|specify)(?!\p{L})/iu.exec(text)
  return order !== null && order[1]?.length === col ? oneLine(text) : null
}

/** The question in an editor's last line while the cursor stays in the text; null if there is none. */
export function askedBelow({ screen }: View): string | null {
  const line = screen.lines[screen.rows - 1]
  const text = line?.text.trimEnd() ?? ''
  if (line === undefined || screen.cursor.row >= screen.rows - 2 || /^\s|\S {3,}\S/.test(text)) return null
  if (shapeOf(`${text} `).strength === 'strong') return oneLine(text)
  // An answer already follows it.
  const asked = /^(.*[?:])\s\S{1,3}$/u.exec(text)?.[1]
  return asked !== undefined && shapeOf(`${asked} `).strength === 'strong' ? oneLine(asked) : null
}
