import { sameWait } from '../../../../lib/tty-probe.ts'
import type { Prompt } from '../../../../domain/terminal/verdict.ts'
import { collapse, placeOf } from './screen-text.ts'
import { afterPrompt, holds, type Stand } from './standing.ts'
import type { Look, Row } from './look.ts'
import type { OpenPrompt } from './types.ts'

/** A prompt that is open, and what stood around it when it was first seen. */
export type Occurrence = {
  prompt: OpenPrompt
  key: string
  stand: Stand
  place: string
  /** The cursor's line. */
  row: Row | null
  printed: number
  keys: number
  mark: string | null
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
  // Whatever others print meanwhile: who has not run since still reads the same answer.
  if (!sameText && look.at - Date.parse(open.prompt.since) >= settledMs && isSameRead(open, look, seen)) return true
  if (!typing) return sameText && !(printed && leftBehind(open, look))
  // Keys that the driver collects do not wake the program: what changed on the screen is the echo.
  if (look.local && look.fg?.reading === 'read' && look.fg.mark === open.mark) return true
  if (!sameText)
    return (
      isOnlyTyped(open, look) || (goesOnFrom(open.prompt.text, seen.text) && afterPrompt(lines, open.stand) !== null)
    )
  // A single key may have been the whole answer, and the same question stands there anew.
  const emptyAgain = printed && afterPrompt(lines, open.stand) === '' && placeOf(lines) !== open.place
  return look.mode?.canonical !== false || !emptyAgain
}

/** Output that was under way when the read was first seen has come by then. */
const settledMs = 150

/** Blocked in the very read it was asked in; or, where nothing else asks, in one at the same place of the program. */
function isSameRead({ mark }: Occurrence, { local, fg, mode }: Look, seen: Prompt): boolean {
  if (!local || fg?.reading !== 'read' || mark === null) return false
  // A child that ends wakes who waits for a line, and lets it wait again; no line was taken by that.
  const showsNone = /^\[[^\]]*\]$/.test(seen.text)
  return sameWait(fg.mark, mark, !(showsNone && mode?.canonical === true))
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
