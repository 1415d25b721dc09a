import { setTimeout as pause } from 'node:timers/promises'
import { choicesMeant, drawnEntries, type DrawnEntry } from '../../../../domain/terminal/drawn-menu.ts'
import { flipped, isConfirmLit, nextKey, step, tickKey } from '../../../../domain/terminal/menu-keys.ts'
import { ok, type Result } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import { bytesOf } from '../key-bytes.ts'
import type { AnswerInput, TypedAnswer, TypingDeps } from './answer-input.ts'
import { prove } from './prove.ts'
import { drawnOf, screenOf, writeStep } from './write-step.ts'

/** A menu is drawn again within this time after a key, on a busy machine too. */
const drawnMs = 1500
/** One that does not show its mark draws nothing when it moves. */
const unseenMs = 600
const drawnStepMs = 20

/** The labels to choose; null if the prompt is not a menu that arrow keys move in, or the text names none of its entries. */
export function entriesMeant(before: TypingContext, wanted: AnswerInput): readonly string[] | null {
  const { detection, mode } = before
  if (mode?.canonical === true || wanted.keys.length > 0 || !wanted.pressEnter || wanted.secret) return null
  const entries = entriesOf(before)
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
  let place = null as number | null
  const along = new Set<string>()
  /** A mark is known by its colour alone until it was seen to move, or to tick. */
  let isProven = isPointedByText(before)

  async function press(name: string): Promise<Result<boolean>> {
    const bytes = bytesOf([name], at.applicationCursor)
    if (!bytes.ok) return bytes
    const { promptId } = at.detection
    const isFirst = presses === 0
    presses += 1
    const keyed = { key: `${key}:${presses}`, bytes: bytes.value, promptId, isFirst }
    return writeStep(deps, { ...keyed, goesOn: !isFirst && name !== 'enter' }, before, wanted)
  }
  const gaveUp = async (): Promise<Result<TypedAnswer>> =>
    ok({ status: presses === 0 ? 'refused_stale' : 'unverified', screenAfter: await screenOf(deps, at) })

  async function confirm(): Promise<Result<TypedAnswer>> {
    const last = Math.max(...entries.map(({ row }) => row))
    if (isConfirmLit(drawnOf(at), last) === false) {
      // Enter would tick, or press no button.
      const moved = await press('tab')
      if (!moved.ok) return moved
      const lit = moved.value ? await seenWhen(deps, (now) => isConfirmLit(drawnOf(now), last) === true) : null
      if (lit === null || lit.detection.promptText !== at.detection.promptText) return gaveUp()
      at = lit
    }
    const entered = await press('enter')
    if (!entered.ok) return entered
    if (!entered.value) return gaveUp()
    return ok(await prove(deps, at, wanted, { text: null, isWhole: true, promptId: at.detection.promptId }))
  }

  const mostPresses = entries.length * 4 + 8
  while (presses < mostPresses) {
    const next = nextOf()
    if (next === null) return gaveUp()
    if (next.key === 'enter') return confirm()
    const pressed = await press(next.key === 'tick' ? tickKey(drawnOf(at)) : next.key)
    if (!pressed.ok) return pressed
    if (!pressed.value) return gaveUp()
    const earlier = entries
    const { seen, isChanged } = await drawnAfter(
      deps,
      at,
      earlier,
      place !== null && next.moves !== 0 ? unseenMs : drawnMs,
    )
    if (seen === null) return gaveUp()
    at = seen
    entries = entriesOf(seen)
    // A menu that does not show its mark draws nothing that we can see when the mark moves.
    if (!isChanged && (next.moves === 0 || place === null)) return gaveUp()
    if (next.key === 'tick') ticked(earlier)
    else if (isChanged) isProven = true
    else if (place !== null) place += next.moves
  }
  return gaveUp()

  function nextOf() {
    const next = nextKey({ entries, wanted: labels, place, along })
    const here = entries.findIndex(({ pointed }) => pointed)
    const isList = entries.some((entry) => entry.ticked !== null)
    return next?.key === 'enter' && !isProven && !isList ? step(entries, here + 1 < entries.length) : next
  }

  function ticked(earlier: readonly DrawnEntry[]): void {
    const pressedAt = place ?? entries.findIndex(({ pointed }) => pointed)
    if (place === null && pressedAt === -1) place = flipped(earlier, entries)
    if (!labels.includes(entries[pressedAt]?.label ?? '')) return
    for (const [index, entry] of entries.entries())
      if (entry.ticked === true && earlier[index]?.ticked === false && index !== pressedAt) along.add(entry.label)
  }
}

const entriesOf = (context: TypingContext): DrawnEntry[] => drawnEntries(drawnOf(context), context.detection.choices)

/** The detector read the mark. */
const isPointedByText = ({ detection }: TypingContext): boolean => detection.choices.some(({ selected }) => selected)

type Drawn = { seen: TypingContext | null; isChanged: boolean }

/** The menu with a changed mark or box, or as it was; null if it is another prompt, or none. */
async function drawnAfter(
  deps: TypingDeps,
  at: TypingContext,
  earlier: readonly DrawnEntry[],
  ms: number,
): Promise<Drawn> {
  const same: TypingContext[] = []
  const found = await seenWhen(
    deps,
    (now) => {
      const entries = entriesOf(now)
      // Drawn again, it may count as another prompt; the same entries in the same rows are the same menu.
      if (now.detection.promptText !== at.detection.promptText || places(entries) !== places(earlier)) return true
      same.push(now)
      return marks(entries) !== marks(earlier)
    },
    ms,
  )
  const last = same.at(-1) ?? null
  return found === null || found === last ? { seen: last, isChanged: found !== null } : { seen: null, isChanged: false }
}

/** What is drawn while the program waits, once it is like this; null if that does not happen in time. */
async function seenWhen(
  { look }: TypingDeps,
  isLike: (now: TypingContext) => boolean,
  ms = drawnMs,
): Promise<TypingContext | null> {
  for (const end = Date.now() + ms; Date.now() < end;) {
    await pause(drawnStepMs)
    const seen = await look()
    if (!seen.ok) return null
    if (seen.value.detection.waiting && seen.value.isSure && isLike(seen.value)) return seen.value
  }
  return null
}

const marks = (entries: readonly DrawnEntry[]) => entries.map(({ pointed, ticked }) => `${pointed} ${ticked}`).join()
const places = (entries: readonly DrawnEntry[]) => entries.map(({ label, row }) => `${row} ${label}`).join('\n')
