import { isInOneRow, type DrawnEntry, type DrawnScreen } from './drawn-menu.ts'
import { lookOf } from './looks.ts'

/** `moves`: by how many entries the mark should move. */
export type NextKey = { key: 'enter' | 'tick' | 'up' | 'down' | 'left' | 'right'; moves: -1 | 0 | 1 }

export type MenuState = {
  readonly entries: readonly DrawnEntry[]
  /** The labels to choose. */
  readonly wanted: readonly string[]
  /** Where the mark is, if the menu does not show it. */
  readonly place: number | null
  /** Ticked together with a wanted entry, as the head of a group is. */
  readonly along: ReadonlySet<string>
}

/** Null if it can't be told which key leads there. */
export function nextKey({ entries, wanted, place, along }: MenuState): NextKey | null {
  const pointed = entries.findIndex((entry) => entry.pointed)
  const here = pointed === -1 ? place : pointed
  const isList = entries.some(({ ticked }) => ticked !== null)
  const wrong = entries.flatMap(({ label, ticked }, index) => {
    const isWanted = wanted.includes(label)
    const isRight = isList ? ticked === isWanted || (along.has(label) && !isWanted) : !isWanted || index === here
    return isRight ? [] : [{ index, isWanted }]
  })
  if (wrong.length === 0) return { key: 'enter', moves: 0 }
  // Of radio buttons, ticking one clears the other.
  const missing = wrong.filter(({ isWanted }) => isWanted)
  const open = (missing.length > 0 ? missing : wrong).map(({ index }) => index)
  if (isList && (here === null || open.includes(here))) return { key: 'tick', moves: 0 }
  if (here === null) return null
  const target = open.toSorted((one, two) => Math.abs(one - here) - Math.abs(two - here))[0] ?? here
  return step(entries, target > here)
}

/** The key to the next or the previous entry. */
export function step(entries: readonly DrawnEntry[], forward: boolean): NextKey {
  const moves = forward ? 1 : -1
  if (isInOneRow(entries)) return { key: forward ? 'right' : 'left', moves }
  return { key: forward ? 'down' : 'up', moves }
}

/**
 * The entry whose box changed; of several, the first: a group's head comes before its entries. Null if there is none, or
 * if boxes were ticked and cleared at once, as radio buttons are.
 */
export function flipped(before: readonly DrawnEntry[], now: readonly DrawnEntry[]): number | null {
  const changed = now.flatMap(({ ticked }, index) => (before[index]?.ticked === ticked ? [] : [index]))
  const isOneWay = new Set(changed.map((index) => now[index]?.ticked)).size === 1
  return isOneWay ? (changed[0] ?? null) : null
}

const letters = /[\p{L}\p{N}]/u

/** The key that ticks: in a list that is filtered by typing, space is a letter. */
export const tickKey = ({ rows }: DrawnScreen): 'space' | 'tab' =>
  rows.some((text) => /(?<!\p{L})tab\b[\s:>)\]]*(?:to )?(?:select|toggle)/iu.test(text)) ? 'tab' : 'space'

/**
 * Whether the first button below a row, which confirms a dialog, is the one that Enter presses: it looks different from
 * the others. Null if there are no buttons to compare.
 */
export function isConfirmLit({ rows, looks, cursorRow }: DrawnScreen, below: number): boolean | null {
  for (const [row, text] of rows.entries()) {
    if (row <= below) continue
    const buttons = [...text.matchAll(/<([^<>│┃║|]{1,40})>/gu)].filter(([, label = '']) => letters.test(label))
    if (buttons.length < 2) continue
    const [first, ...others] = buttons.map(({ index, 0: whole }) => lookOf(looks, row, index, index + whole.length))
    if (others.every((look) => look !== first) && new Set(others).size === 1) return true
    // Without colours, the cursor tells.
    return cursorRow === row && others.every((look) => look === first) ? null : false
  }
  return null
}
