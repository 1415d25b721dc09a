import { setTimeout as pause } from 'node:timers/promises'
import { choicesMeant, drawnEntries, isInOneRow, type DrawnEntry } from '../../../../domain/terminal/drawn-menu.ts'
import { ok, type Result } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import { bytesOf } from '../key-bytes.ts'
import type { AnswerInput, TypedAnswer, TypingDeps } from './answer-input.ts'
import { prove } from './prove.ts'
import { rowsOf, screenOf, writeStep } from './write-step.ts'

/** A menu is drawn again within this time after a key. */
const drawnMs = 600
const drawnStepMs = 20

/** The labels to choose; null if the prompt is not a menu that arrow keys move in, or the text names none of its entries. */
export function entriesMeant(before: TypingContext, wanted: AnswerInput): readonly string[] | null {
  const { detection, mode } = before
  if (mode?.canonical === true || wanted.keys.length > 0 || !wanted.pressEnter || wanted.secret) return null
  const entries = drawnEntries(rowsOf(before), detection.choices)
  const isDrawn = entries.some(({ pointed, ticked }) => pointed || ticked !== null)
  if (!isDrawn) return null
  const meant = choicesMeant(detection.choices, wanted.text)
  if (meant === null || (meant.length > 1 && entries.every(({ ticked }) => ticked === null))) return null
  return meant.map(({ label }) => label)
}

/** Moves to an entry and confirms it, or ticks exactly these entries. Looks after each key, so it never chooses blindly. */
export async function chooseEntry(
  deps: TypingDeps,
  before: TypingContext,
  labels: readonly string[],
  wanted: AnswerInput,
  key: string,
): Promise<Result<TypedAnswer>> {
  let presses = 0
  let at = before
  let entries = entriesOf(before)
  /** Where the mark is, if the menu does not show it: found out by what the space bar ticks. */
  let place: number | null = null

  async function press(name: string): Promise<Result<boolean>> {
    const bytes = bytesOf([name], at.applicationCursor)
    if (!bytes.ok) return bytes
    const { promptId } = at.detection
    const step = { key: `${key}:${(presses += 1)}`, bytes: bytes.value, promptId, isFirst: presses === 1 }
    const written = await writeStep(deps, step, before, wanted)
    if (!written.ok || !written.value) return written
    return ok(true)
  }
  const gaveUp = async (): Promise<Result<TypedAnswer>> =>
    ok({ status: presses === 0 ? 'refused_stale' : 'unverified', screenAfter: await screenOf(deps, at) })

  const mostPresses = entries.length * 4 + 8
  while (presses < mostPresses) {
    const next = nextKey(entries, labels, place)
    if (next === null) return gaveUp()
    if (next.key === 'enter') {
      const entered = await press('enter')
      if (!entered.ok) return entered
      if (!entered.value) return gaveUp()
      return ok(await prove(deps, at, wanted, { text: null, isWhole: true, promptId: at.detection.promptId }))
    }
    const pressed = await press(next.key)
    if (!pressed.ok) return pressed
    if (!pressed.value) return gaveUp()
    const earlier = entries
    const seen = await drawnAfter(deps, at, earlier)
    if (seen === 'gone') return gaveUp()
    // A menu that does not show its mark draws nothing that we can see when the mark moves.
    if (seen === null && next.moves === 0) return gaveUp()
    if (seen === null && place === null) return gaveUp()
    if (seen) {
      at = seen
      entries = entriesOf(seen)
    }
    if (next.key === 'space' && place === null) place = flipped(earlier, entries)
    else if (place !== null) place += next.moves
  }
  return gaveUp()
}

const entriesOf = (context: TypingContext): DrawnEntry[] => drawnEntries(rowsOf(context), context.detection.choices)

type NextKey = { key: 'enter' | 'space' | 'up' | 'down' | 'left' | 'right'; moves: -1 | 0 | 1 }

/** Null if it can't be told which key leads there. */
function nextKey(entries: readonly DrawnEntry[], labels: readonly string[], place: number | null): NextKey | null {
  const pointed = entries.findIndex((entry) => entry.pointed)
  const here = pointed === -1 ? place : pointed
  const isList = entries.some(({ ticked }) => ticked !== null)
  const wrong = entries.flatMap(({ label, ticked }, index) =>
    isList
      ? ticked === labels.includes(label)
        ? []
        : [index]
      : labels.includes(label) && index !== here
        ? [index]
        : [],
  )
  if (wrong.length === 0) return { key: 'enter', moves: 0 }
  if (isList && (here === null || wrong.includes(here))) return { key: 'space', moves: 0 }
  if (here === null) return null
  const target = wrong.toSorted((one, two) => Math.abs(one - here) - Math.abs(two - here))[0] ?? here
  const forward = target > here
  const moves = forward ? 1 : -1
  if (isInOneRow(entries)) return { key: forward ? 'right' : 'left', moves }
  return { key: forward ? 'down' : 'up', moves }
}

/** The entry whose box changed; null if there is none, or several. */
function flipped(before: readonly DrawnEntry[], now: readonly DrawnEntry[]): number | null {
  const changed = now.flatMap(({ ticked }, index) => (before[index]?.ticked === ticked ? [] : [index]))
  return changed.length === 1 ? (changed[0] ?? null) : null
}

/** The menu with a changed mark or box; null if it shows no change; `gone` if it is another prompt, or none. */
async function drawnAfter(
  { look }: TypingDeps,
  at: TypingContext,
  earlier: readonly DrawnEntry[],
): Promise<TypingContext | null | 'gone'> {
  for (const end = Date.now() + drawnMs; Date.now() < end;) {
    await pause(drawnStepMs)
    const seen = await look()
    if (!seen.ok) return 'gone'
    const { detection, isSure } = seen.value
    if (!detection.waiting || !isSure) continue
    const entries = entriesOf(seen.value)
    // Drawn again, it may count as another prompt; the same entries in the same rows are the same menu.
    if (detection.promptText !== at.detection.promptText || places(entries) !== places(earlier)) return 'gone'
    if (marks(entries) !== marks(earlier)) return seen.value
  }
  return null
}

const marks = (entries: readonly DrawnEntry[]) => entries.map(({ pointed, ticked }) => `${pointed} ${ticked}`).join()
const places = (entries: readonly DrawnEntry[]) => entries.map(({ label, row }) => `${row} ${label}`).join('\n')
