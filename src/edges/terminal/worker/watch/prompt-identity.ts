import type { Prompt } from '../../../../domain/terminal/verdict.ts'
import { collapse, textAbove } from './screen-text.ts'
import { afterPrompt, entryMark, holds, isTypedBelow, type PromptPosition } from './prompt-position.ts'
import type { ScreenLook, ShownRow } from './look.ts'
import type { OpenPrompt } from './types.ts'

/** An open prompt, and its surroundings when it was first seen. */
export type Occurrence = {
  prompt: OpenPrompt
  key: string
  stand: PromptPosition
  place: string
  /** The cursor's line. */
  row: ShownRow | null
  printed: number
  keys: number
  mark: string | null
  /** What the program had written by then; null if unknown. */
  wrote: string | null
  /** On the alternate screen. */
  alternate: boolean
  /** ^C was pressed: the next prompt is another occurrence, even with the same text. */
  broken: boolean
}

/** Whether the prompt on the screen is the open one, not another one or a repetition. */
export function sameOccurrence(open: Occurrence, look: ScreenLook, seen: Prompt): boolean {
  const printed = look.printed > open.printed
  if (open.broken && (printed || ran(open.mark, look))) return false
  const typing = look.keys > open.keys
  const lines = look.lines ?? []
  const sameText = look.key === open.key
  if (!sameText && isSameRead(open, look, seen)) return true
  if (!typing) return sameText && !(printed && leftBehind(open, look))
  // Keys that the terminal driver collects do not wake the program: the change on the screen is the echo.
  if (look.local && look.fg?.reading === 'read' && look.fg.mark === open.mark) return true
  if (!sameText)
    return (
      isOnlyTyped(open, look) || (goesOnFrom(open.prompt.text, seen.text) && afterPrompt(lines, open.stand) !== null)
    )
  if (isBeingTyped(open, look)) return true
  // A single key may have been the whole answer, and the same question is asked again.
  const emptyAgain =
    printed && afterPrompt(lines, open.stand) === '' && withoutMarks(textAbove(lines)) !== withoutMarks(open.place)
  return look.mode?.canonical !== false || !emptyAgain
}

/**
 * The program still waits for a line and has written nothing since it was first seen: the new output came from other
 * processes, whose end may have woken it. If another prompt is visible, it counts, whichever process wrote it.
 */
function isSameRead({ wrote }: Occurrence, { local, fg, mode }: ScreenLook, seen: Prompt): boolean {
  const showsNone = /^\[[^\]]*\]$/.test(seen.text)
  return (
    local && showsNone && mode?.canonical === true && fg?.reading === 'read' && wrote !== null && fg.wrote === wrote
  )
}

/** Into a field below the question, by a program that reads keys and draws them itself. */
export const isBeingTyped = (open: Occurrence, { keys, mode, fg, lines }: ScreenLook): boolean =>
  keys > open.keys &&
  mode?.canonical === false &&
  fg?.reading !== 'no' &&
  isTypedBelow(open.stand, lines ?? [], keys - open.keys)

/** The text after the prompt is no longer than what was typed. */
function isOnlyTyped(open: Occurrence, look: ScreenLook): boolean {
  const typed = look.keys - open.keys
  // A full-screen program shows typed keys anywhere.
  if (open.alternate) return look.alternate && open.prompt.type === 'command' && look.verdict.prompt?.type === 'command'
  const line = look.lines?.find(({ cursor }) => cursor)?.text ?? ''
  if (!open.stand.atCursor || !holds(line, open.stand.line)) return false
  const behind = line.slice(line.indexOf(open.stand.line) + open.stand.line.length).trim()
  return Array.from(behind).length <= typed
}

/** The prompt is further down now, and the old one is still there: the program asks again. */
function leftBehind({ row, stand }: Occurrence, look: ScreenLook): boolean {
  // Menus are redrawn, and may be seen half drawn.
  if (!stand.atCursor || !row || !look.row || row.text === '' || look.row.number <= row.number) return false
  return look.textAt(row.number)?.startsWith(row.text) ?? true
}

/** Typed text follows the prompt directly, and may look like part of it. */
export const goesOnFrom = (prompt: string, seen: string): boolean => collapse(seen).startsWith(collapse(prompt))

/** Arrow keys and the space bar only move or fill the marks of a menu: it stays the same. */
const withoutMarks = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(entryMark, ''))
    .join('\n')

/** Whether the program has run since; false if unknown. */
export const ran = (mark: string | null, { local, fg }: ScreenLook): boolean =>
  local && mark !== null && fg !== null && fg.mark !== mark
