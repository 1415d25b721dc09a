import { setTimeout as pause } from 'node:timers/promises'
import { isInPlace, typedField } from '../../../../domain/terminal/typed-field.ts'
import type { TypingContext } from '../../protocol.ts'
import type { AnswerInput, TypedAnswer, TypingDeps } from './answer-input.ts'
import { isEcho } from './echo.ts'
import { rowsOf } from './write-step.ts'

const proofMs = 2500
/** A program that ignored Enter counts as waiting again by then. */
const backMs = 2000
/** The program's reaction to an answer is on the screen by then. */
const showMs = 30

/** What was typed, and at which prompt it was last seen. */
export type Typed = {
  /** What the field shows; null if unknown. */
  readonly text: string | null
  readonly isWhole: boolean
  readonly promptId: string | null
}

/** Delivered means the program shows that it read the answer: its prompt is gone, or it printed and ran. */
export async function prove(
  { look }: TypingDeps,
  before: TypingContext,
  wanted: Pick<AnswerInput, 'secret'>,
  typed: Typed,
): Promise<TypedAnswer> {
  const start = Date.now()
  const end = start + proofMs
  let screenAfter = before.screen
  for (let wait = 10; Date.now() < end; wait = Math.min(wait * 2, 200)) {
    await pause(wait)
    const now = await look()
    // No longer watched: the answer ended the program.
    if (!now.ok)
      return now.fault.kind === 'not_found'
        ? { status: 'delivered', screenAfter, isOver: true }
        : { status: 'unverified', screenAfter }
    screenAfter = now.value.screen
    const isBack = now.value.detection.waiting || Date.now() - start < backMs
    if (isBack && isAskedStill(before, now.value)) continue
    if (!hasMovedOn(before, now.value, wanted, typed)) continue
    await pause(showMs)
    const after = await look()
    if (!after.ok) return { status: 'delivered', screenAfter, isOver: true }
    screenAfter = after.value.screen
    // A field that was seen half drawn may be back.
    const isGone = !isStillInField(before, after.value, typed) && !(isBack && isAskedStill(before, after.value))
    if (isGone) return { status: 'delivered', screenAfter }
  }
  return { status: 'unverified', screenAfter }
}

function hasMovedOn(
  before: TypingContext,
  now: TypingContext,
  wanted: Pick<AnswerInput, 'secret'>,
  typed: Typed,
): boolean {
  // Text that is still in its field was not read, however often the program draws it.
  if (isStillInField(before, now, typed)) return false
  const { detection, screen, waits } = now
  if (detection.promptId !== typed.promptId && detection.promptId !== before.detection.promptId) return true
  const hasShown = !wanted.secret && screen !== before.screen && now.to > before.to
  const hasRead = before.waits !== null && waits?.mark !== before.waits.mark
  // A line editor reads and draws with each key: that proves nothing before Enter.
  const showsWork = before.mode?.canonical === true || typed.isWhole
  return showsWork && hasShown && hasRead
}

/**
 * A line editor draws with each key: its question is answered when it is gone from its place. Commands are typed in
 * one place again and again, and a line editor that has ended has set the terminal back.
 */
function isAskedStill(before: TypingContext, now: TypingContext): boolean {
  const { promptText, promptType } = before.detection
  if (before.mode?.canonical === true || now.mode?.canonical === true || promptType === 'command') return false
  if (now.detection.waiting && now.detection.promptText !== promptText) return false
  return isInPlace(rowsOf(before), rowsOf(now), promptText)
}

function isStillInField(before: TypingContext, now: TypingContext, { text, isWhole }: Typed): boolean {
  if (text === null || text === '') return false
  // A program at work has read the line, even if it shows nothing yet. Before Enter it is only drawing.
  if (isWhole && !now.detection.waiting) return false
  if (!isWhole && isEcho(before, now.line, text)) return true
  return before.mode?.canonical !== true && typedField(rowsOf(before), rowsOf(now), text) !== null
}
