import type { Prompt } from '../../../../domain/terminal/verdict.ts'
import { collapse, textAbove } from './screen-text.ts'
import { afterPrompt, holds, type PromptPosition } from './prompt-position.ts'
import type { Look, Row } from './look.ts'
import type { OpenPrompt } from './types.ts'

/** A prompt that is open, and what stood around it when it was first seen. */
export type Occurrence = {
  prompt: OpenPrompt
  key: string
  stand: PromptPosition
  place: string
  /** The cursor's line. */
  row: Row | null
  printed: number
  keys: number
  mark: string | null
  /** What the program had written by then; null where nobody can say. */
  wrote: string | null
  /** On the second screen. */
  alternate: boolean
  /** ^C was pressed: what comes next is another time, whatever it says. */
  broken: boolean
}

/** Whether a prompt that is seen is the one that is open, and not another one, nor the same words once more. */
export function sameOccurrence(open: Occurrence, look: Look, seen: Prompt): boolean {
  const printed = look.printed > open.printed
  if (open.broken && (printed || ran(open.mark, look))) return false
  const typing = look.keys > open.keys
  const lines = look.lines ?? []
  const sameText = look.key === open.key
  if (!sameText && isSameRead(open, look, seen)) return true
  if (!typing) return sameText && !(printed && leftBehind(open, look))
  // Keys that the driver collects do not wake the program: what changed on the screen is the echo.
  if (look.local && look.fg?.reading === 'read' && look.fg.mark === open.mark) return true
  if (!sameText)
    return (
      isOnlyTyped(open, look) || (goesOnFrom(open.prompt.text, seen.text) && afterPrompt(lines, open.stand) !== null)
    )
  // A single key may have been the whole answer, and the same question stands there anew.
  const emptyAgain = printed && afterPrompt(lines, open.stand) === '' && textAbove(lines) !== open.place
  return look.mode?.canonical !== false || !emptyAgain
}

/**
 * Waits for a line as it did when it was first seen and has itself written nothing since: what came was of others, who
 * may also have woken it by ending. Where another prompt is to be seen it is that one, whoever wrote it.
 */
function isSameRead({ wrote }: Occurrence, { local, fg, mode }: Look, seen: Prompt): boolean {
  const showsNone = /^\[[^\]]*\]$/.test(seen.text)
  return (
    local && showsNone && mode?.canonical === true && fg?.reading === 'read' && wrote !== null && fg.wrote === wrote
  )
}

/** What stands behind the prompt is no more than what was typed, however it reads with that. */
function isOnlyTyped(open: Occurrence, look: Look): boolean {
  const typed = look.keys - open.keys
  // On a screen of its own a program that takes keys shows them where it likes.
  if (open.alternate) return look.alternate && open.prompt.type === 'command' && look.verdict.prompt?.type === 'command'
  const line = look.lines?.find(({ cursor }) => cursor)?.text ?? ''
  if (!open.stand.atCursor || !holds(line, open.stand.line)) return false
  const behind = line.slice(line.indexOf(open.stand.line) + open.stand.line.length).trim()
  return Array.from(behind).length <= typed
}

/** It stands further down than it stood, and stands there still: the program gave up waiting and asks the same anew. */
function leftBehind({ row, stand }: Occurrence, look: Look): boolean {
  // What is painted anew, as menus are, is seen half painted at times.
  if (!stand.atCursor || !row || !look.row || row.text === '' || look.row.number <= row.number) return false
  return look.textAt(row.number)?.startsWith(row.text) ?? true
}

/** What is typed stands right behind the prompt, and may be taken for a part of it. */
export const goesOnFrom = (prompt: string, seen: string): boolean => collapse(seen).startsWith(collapse(prompt))

/** Whether the program has run since; false where nobody can say. */
export const ran = (mark: string | null, { local, fg }: Look): boolean =>
  local && mark !== null && fg !== null && fg.mark !== mark
