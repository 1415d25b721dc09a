import { beforeCursor, promptOnLine } from '../text/prompt-text.ts'
import { oneLine, withoutBorders } from '../text/strip.ts'
import type { View } from '../text/view.ts'
import { findDialog } from './dialog.ts'
import { findBoxField, findField, openQuestion } from './field.ts'
import { askedBelow, askedOnLast, askedOverCursor, askedOverLast, isCommandLine, takesKeys } from './full-screen.ts'
import { asksForKey } from './key-order.ts'
import { findMenu, listBelow, type Menu, type MenuOption } from './menu.ts'
import { findButtons, findPanel } from './unboxed.ts'
import { hint } from './menu-question.ts'
import { askedAbove } from './line-above.ts'
import { findStill } from './still.ts'
import { halfTyped, listsCommands, shapeOf, type Shape } from './shape.ts'
import { animated, announcesWork, interruptible, progressBar, tellsWork, workingSign } from './working-signs.ts'

/** What the screen alone indicates. */
export type LookResult = {
  says: 'waiting' | 'working'
  /** Confidence, 0 to 1. */
  weight: number
  by: 'screen' | 'text'
  why: string
  /** The prompt as it would be reported; empty if none is shown. */
  text: string
  menu: readonly MenuOption[] | null
  /** A line was begun but not ended, and shows no sign of work: if keys are read, input is expected. */
  unended: boolean
  /** The program uses the whole screen. */
  fullScreen: boolean
}

/** The screen, with values that most checks need. */
type Look = {
  view: View
  before: string
  blank: boolean
  shape: Shape
  /** The cursor is where a prompt ends. */
  onPrompt: boolean
  /** The prompt on the cursor's line. */
  line: string
  menu: Menu | null
  list: MenuOption[] | null
}
type ScreenFinding = Pick<LookResult, 'says' | 'weight' | 'by' | 'why' | 'text'> & {
  menu?: readonly MenuOption[] | null
}

/** The first match decides: drawn elements, then lines, then the modes of the screen. */
const looks: readonly ((look: Look) => ScreenFinding | null)[] = [
  atDialog,
  atMenu,
  atButtons,
  atStatus,
  atField,
  atMasked,
  atPrompt,
  atSearch,
  atOpenQuestion,
  atLineEditor,
  atWeakPrompt,
  atLineAbove,
  atBoxField,
  atFullScreen,
  atKeypad,
  atStill,
]

export function lookAt(view: View): LookResult {
  const { screen } = view
  const before = beforeCursor(view)
  const after = besides(withoutBorders(view.after))
  const shape = shapeOf(before)
  const menu = findMenu(view)
  const look: Look = {
    view,
    before,
    blank: before.trim() === '' && after === '',
    shape,
    onPrompt:
      shape.strength !== 'none' &&
      (after === '' || isPlaceholder(view) || (/^(?:y|n|yes|no)$/iu.test(after) && shape.strength === 'strong')),
    line: promptOnLine(view, shape.strength === 'strong'),
    menu,
    list: menu !== null && belongsTo(view, menu) ? menu.options : listBelow(view),
  }
  let found: ScreenFinding | null = null
  for (const glance of looks) if ((found = glance(look)) !== null) break
  const begun = before.trim() !== '' && after === '' && !screen.cursor.hidden
  return {
    ...(found ?? atWork(look)),
    menu: found?.menu ?? null,
    unended: begun && workingSign(before) === null && !tellsWork(before),
    fullScreen: screen.alternate || screen.applicationCursor,
  }
}

const waits = (
  weight: number,
  by: LookResult['by'],
  why: string,
  text: string,
  menu?: readonly MenuOption[] | null,
): ScreenFinding => ({
  says: 'waiting',
  weight,
  by,
  why,
  text,
  menu: menu ?? null,
})
const works = (weight: number, by: LookResult['by'], why: string): ScreenFinding => ({
  says: 'working',
  weight,
  by,
  why,
  text: '',
})

/** Someone is typing on the cursor's line, so elements drawn elsewhere do not count. */
const typing = ({ view, onPrompt, before }: Look): boolean =>
  !view.screen.cursor.hidden && (onPrompt || /^\s*[>❯›]\s+\S/u.test(before))

function atDialog(look: Look): ScreenFinding | null {
  const dialog = findDialog(look.view)
  if (dialog === null || (!dialog.holdsCursor && typing(look))) return null
  if (dialog.progress) return works(0.85, 'screen', 'progress in a box')
  return waits(0.95, 'screen', 'a box with buttons', dialog.question, dialog.options)
}

function atMenu(look: Look): ScreenFinding | null {
  const { menu, view } = look
  if (menu === null || typing(look)) return null
  const { cursor } = view.screen
  // Otherwise the list is only text that scrolled by.
  const within = cursor.row >= menu.first && cursor.row < menu.last
  const under =
    cursor.row === menu.last + 1 && view.screen.lines.slice(menu.first, menu.last).some((line) => hint.test(line.text))
  const isHere =
    cursor.hidden || within || under || (cursor.row >= menu.last && cursor.row <= menu.last + 4 && cursor.col > 0)
  return isHere ? waits(0.93, 'screen', 'a list to choose from', menu.question, menu.options) : null
}

function atButtons({ view }: Look): ScreenFinding | null {
  const row = findButtons(view)
  return row === null ? null : waits(0.9, 'screen', 'buttons under a question', row.question, row.options)
}

function atStatus({ view }: Look): ScreenFinding | null {
  const { lines, cursor, alternate } = view.screen
  const busy = lines.slice(Math.max(0, cursor.row - 12)).find(({ text }) => interruptible.test(text))
  if (busy !== undefined) return works(0.8, 'screen', `it says how to stop it: ${busy.text.trim()}`)
  const bar = alternate ? undefined : lines.slice(cursor.row + 1).find(({ text }) => progressBar.test(text))
  return bar === undefined ? null : works(0.85, 'screen', `a progress bar: ${bar.text.trim()}`)
}

function atField({ view }: Look): ScreenFinding | null {
  const field = view.screen.alternate ? null : findField(view)
  return field === null ? null : waits(0.9, 'screen', 'a field with a drawn cursor', field.question)
}

/** Prompt libraries say that they hide an answer, or show a sign for each key. */
function atMasked({ view }: Look): ScreenFinding | null {
  const asked = masked.exec(withoutBorders(view.lines[view.at]?.text ?? '').trim())?.[1]
  return asked === undefined ? null : waits(0.9, 'text', 'a question that hides its answer', oneLine(asked))
}

const masked = /^(\?\s+\S.*?)\s+(?:\[(?:input is )?(?:masked|hidden)\]|[*•]+)$/u

function atPrompt({ onPrompt, shape, line, list }: Look): ScreenFinding | null {
  return onPrompt && shape.strength === 'strong' ? waits(0.9, 'text', shape.why, line, list) : null
}

function atSearch(look: Look): ScreenFinding | null {
  const { line, list } = look
  return typing(look) && list !== null ? waits(0.88, 'screen', 'a search field above a list', line, list) : null
}

function atOpenQuestion({ view }: Look): ScreenFinding | null {
  const open = openQuestion(view)
  return open === null ? null : waits(0.8, 'screen', 'an unanswered question', open)
}

/** Line editors turn bracketed paste on while they read, and off before a command runs. */
function atLineEditor({ view, before, blank, line }: Look): ScreenFinding | null {
  const { screen } = view
  if (announcesWork(before)) return null
  if (!screen.bracketedPaste || screen.alternate || screen.cursor.hidden || animated(before)) return null
  return waits(0.92, 'screen', 'a line editor is reading (bracketed paste is on)', blank ? '' : line)
}

function atWeakPrompt({ onPrompt, shape, line, before, view }: Look): ScreenFinding | null {
  if (onPrompt) return waits(0.75, 'text', shape.why, line)
  const asked = besides(view.after) === '' ? halfTyped(before) : null
  return asked === null ? null : waits(0.75, 'text', 'an answer is being typed', oneLine(asked))
}

function atLineAbove({ view, blank }: Look): ScreenFinding | null {
  const asked = blank && !view.screen.alternate ? askedAbove(view) : null
  return asked === null ? null : waits(0.74, 'text', asked.why, asked.question)
}

function atBoxField({ view }: Look): ScreenFinding | null {
  const asked = view.screen.alternate ? findBoxField(view) : null
  return asked === null ? null : waits(0.8, 'screen', 'a field in a box', asked)
}

function atFullScreen({ view, line, list, before }: Look): ScreenFinding | null {
  if (!view.screen.alternate) return null
  const commandLine = isCommandLine(view)
  if (commandLine && tellsWork(before)) return works(0.7, 'screen', 'the last line says what it is doing')
  if (!commandLine && workingSign(view.lines[view.at]?.text ?? '') === 'a progress bar')
    return works(0.75, 'screen', 'a progress bar at the cursor')
  const below = commandLine ? null : (askedBelow(view) ?? askedOnLast(view) ?? askedOverLast(view))
  if (below !== null) return waits(0.8, 'screen', 'the last line of the screen asks', below, list)
  const over = askedOverCursor(view)
  if (over !== null) return waits(0.75, 'screen', 'the line above asks', over)
  const panel = findPanel(view)
  if (panel !== null) return waits(0.75, 'screen', 'a list with a heading', panel.question, panel.options)
  if (commandLine && !view.screen.cursor.hidden && listsCommands(before))
    return waits(0.75, 'screen', 'a list of commands', line)
  if (
    commandLine &&
    !view.screen.cursor.hidden &&
    /^(?:[:/]\S*\s|(?:\p{Lu}|\p{Lo})[\p{L} ]{2,40}(?:\([^()]{1,24}\))?[:：]\s\S+\s?$)/u.test(before)
  )
    return waits(0.75, 'screen', 'someone is typing on the last line', line)
  const here = oneLine(withoutBorders(view.lines[view.at]?.text ?? ''))
  if (asksForKey(here)) return waits(0.75, 'screen', 'it asks for a key at the cursor', here)
  const { says, why, text = '' } = takesKeys(view)
  if (!says) return atStill({ view }) ?? works(0.7, 'screen', why)
  return waits(0.7, 'screen', why, commandLine ? line : text || lastSign(view), list)
}

/** Editors that draw their own cursor leave the real one in a corner, so the command line shows only its sign. */
const lastSign = ({ screen }: View): string =>
  screen.cursor.hidden ? (/^[:/?!]$/u.exec(screen.lines.at(-1)?.text.trim() ?? '')?.[0] ?? '') : ''

function atKeypad({ view, blank }: Look): ScreenFinding | null {
  const { applicationCursor, cursor } = view.screen
  if (!applicationCursor || (blank && !cursor.hidden) || workingSign(view.lines[view.at]?.text ?? '') !== null)
    return null
  return waits(0.7, 'screen', 'a program that reads keys', '')
}

function atStill({ view }: Pick<Look, 'view'>): ScreenFinding | null {
  const still = findStill(view)
  return still === null ? null : waits(0.6, 'screen', still.why, still.question, still.options)
}

function atWork({ view, blank, shape, line }: Look): ScreenFinding {
  const work = workingSign(view.lines[view.at]?.text ?? '')
  if (work !== null) return { ...works(0.9, 'screen', `${work} on the cursor's line`), text: line }
  return { ...works(blank ? 0.75 : 0.8, 'text', shape.why), text: line }
}

/** Text far to the right is a clock or a position in a file. */
const besides = (after: string): string => (/^\s{5,}/.test(after) ? '' : after.trim())

/** Dim text after the cursor is a placeholder. */
function isPlaceholder({ screen }: View): boolean {
  const { row, col } = screen.cursor
  return screen.lines[row]?.marks.some(({ kind, from, to }) => kind === 'dim' && from <= col + 1 && to > col) === true
}

/** The line belongs to the list: it is above it, or the program uses the whole screen or the mouse. */
const belongsTo = ({ screen }: View, { first }: Menu): boolean =>
  screen.cursor.row <= first || screen.alternate || screen.mouse
