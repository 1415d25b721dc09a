import type { Choice } from '../../../../domain/terminal/verdict.ts'
import { editLine } from './line-editor.ts'
import { appearance, isSecret, occurs, type ModesSeen } from './secrecy.ts'
import type { OpenPrompt } from './types.ts'

/** An entered line, while it is not known yet whether it may be stored. */
export type EnteredLine = {
  prompt: OpenPrompt
  keys: ArrayLike<number>
  /** Secret from the first key: there are no keys. */
  dropped: boolean
  /** How far the arrow keys moved since the choices were last seen; NaN if other keys may have moved too. */
  moves: number
  modes: ModesSeen
  /** The text after the prompt before Enter, and since. */
  before: string | null
  after: string | null
  /** Nothing more will be seen. */
  final: boolean
}

export type LineAnswer =
  /** `isSeen`: just as it was typed, or as one of the choices. */
  { text: string; secret: false; isSeen: boolean } | { text: null; secret: true; isSeen: false }

const secretAnswer: LineAnswer = { text: null, secret: true, isSeen: false }

/** What was answered. Null: not known yet; 'nothing': the line was given up. */
export function answerOf({
  prompt,
  keys,
  dropped,
  moves,
  modes,
  before,
  after,
  final,
}: EnteredLine): LineAnswer | 'nothing' | null {
  if (dropped || prompt.secret) return secretAnswer
  const canonical = modes.shown && !modes.raw
  const line = editLine(keys, canonical)
  if (!line) return 'nothing'
  if (line.garbled) {
    wipe(line.codes)
    return 'nothing'
  }
  // The result of history or completion is only on the screen.
  if (!line.sure && after === null && !final) return wipe(line.codes)
  try {
    const picked = pick(prompt.choices, moves, line.codes)
    // Keys that move and mark in a menu do not say what was chosen.
    if (picked === null && isMenu(prompt.choices) && line.codes.every((code) => code === space)) return 'nothing'
    const sight = bestSight(line, before, after)
    const typed = line.sure ? line.codes.length : line.codes.length || (sight.standing?.length ?? 0)
    const listed = picked !== null
    const secret = isSecret({ prompt, modes, typed, appearance: sight.appearance, listed })
    // Text that has not appeared yet may still come.
    const open = secret === null || (secret && sight.appearance === 'missing')
    if (open && !final && !modes.hidden) return null
    if (secret !== false) return secretAnswer
    if (picked !== null) return { text: picked, secret: false, isSeen: true }
    const fromScreen = !canonical && sight.standing && !(line.sure && occurs(line.codes, sight.standing))
    const text = fromScreen ? (sight.standing ?? '') : textOf(line.codes)
    return text === '' && !line.sure
      ? 'nothing'
      : { text, secret: false, isSeen: line.sure && sight.appearance === 'shown' }
  } finally {
    line.codes.fill(0)
  }
}

type EchoSight = { appearance: ReturnType<typeof appearance>; standing: string | null }

/** The echo may come before Enter or after it; once seen, it counts. */
function bestSight(line: { codes: number[]; sure: boolean }, before: string | null, after: string | null): EchoSight {
  const sights = [after, before].map((standing) => ({ standing, appearance: sightOf(line, standing) }))
  const order = ['bullets', 'shown', 'missing', 'unseen'] as const
  for (const kind of order) {
    const found = sights.find((sight) => sight.appearance === kind)
    if (found) return found
  }
  return { standing: null, appearance: 'unseen' }
}

/** After a history or completion key, only the screen shows what was entered. */
function sightOf({ codes, sure }: { codes: number[]; sure: boolean }, standing: string | null) {
  const seen = appearance(codes, standing)
  return !sure && seen === 'missing' && standing ? 'shown' : seen
}

/** Built character by character, so that no buffer with the line is left behind. */
const textOf = (codes: readonly number[]): string => codes.map((code) => String.fromCodePoint(code)).join('')

/** With listed choices: the one chosen by its key, or the selected one after the arrow keys. */
function pick(choices: readonly Choice[], moves: number, codes: readonly number[]): string | null {
  if (choices.length === 0) return null
  if (codes.length > 0) {
    const typed = codes.length > longestKey ? '' : textOf(codes).toLowerCase()
    const found = choices.some(({ key, label }) => key.toLowerCase() === typed || label.toLowerCase() === typed)
    return found ? textOf(codes) : null
  }
  const selected = choices.findIndex((choice) => choice.selected)
  if (selected === -1) return null
  // After the last one some menus stop and others wrap around.
  return choices[selected + moves]?.label ?? null
}

const isMenu = (choices: readonly Choice[]): boolean => choices.some(({ selected }) => selected)
const space = 0x20

const longestKey = 40

function wipe(codes: number[]): null {
  codes.fill(0)
  return null
}
