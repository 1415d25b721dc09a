import type { Prompt } from '../../../../domain/terminal/verdict.ts'
import type { Mode } from './types.ts'

/** The modes that were seen while a line was typed. */
export type ModesSeen = {
  /** The driver edits lines without echo: that is how passwords are read. */
  hidden: boolean
  /** The driver edits lines with echo. */
  shown: boolean
  /** The program edits lines itself; whether it shows them, only the screen can tell. */
  raw: boolean
  /** Echoed before Enter, hidden after it: that may already be the next question. Only the screen can tell. */
  hiddenSince: boolean
}

export const noModes: ModesSeen = { hidden: false, shown: false, raw: false, hiddenSince: false }

export function withMode(seen: ModesSeen, mode: Mode | null): ModesSeen {
  if (!mode) return seen
  if (!mode.canonical) return { ...seen, raw: true }
  return mode.echo ? { ...seen, shown: true } : { ...seen, hidden: true }
}

/** A look that came back after Enter. */
export function withLateMode(seen: ModesSeen, mode: Mode | null): ModesSeen {
  const isHidden = mode !== null && mode.canonical && !mode.echo
  return isHidden && seen.shown && !seen.hidden ? { ...seen, hiddenSince: true } : withMode(seen, mode)
}

/** How typed text appears: as itself, as bullets, not at all, or unknown. */
export type Appearance = 'shown' | 'bullets' | 'missing' | 'unseen'

export const bullets = /^[*•●∙·◦○█▪■⬤✱＊\s]+$/
const hasBullet = /[*•●∙·◦○█▪■⬤✱＊]/

/** Compares typed keys with the text after the prompt, without making a string of the keys. */
export function appearance(codes: readonly number[], standing: string | null): Appearance {
  if (standing === null) return 'unseen'
  if (standing === '') return 'missing'
  if (hasBullet.test(standing) && (bullets.test(standing) || mostlyBullets(standing))) return 'bullets'
  return occurs(codes, standing) ? 'shown' : 'missing'
}

/** Some programs show the last character for a moment. */
const mostlyBullets = (text: string) => bullets.test(text.slice(0, -1))

/** As whole words: one letter of a password may occur in a hint. */
export function occurs(codes: readonly number[], text: string): boolean {
  const wanted = codes.filter((code) => !isBlank(code))
  const hay = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const edge = (index: number) => !isLetter(hay[index] ?? 0)
  const found = hay.some((_, start) => {
    const end = endOfMatch(wanted, hay, start)
    // Typed after existing text, it ends the line.
    return end !== null && edge(end) && (edge(start - 1) || (end === hay.length && wanted.length > 1))
  })
  wanted.fill(0)
  return found
}

function endOfMatch(wanted: readonly number[], hay: readonly number[], start: number): number | null {
  let at = start
  for (const code of wanted) {
    while (at > start && isBlank(hay[at] ?? 0)) at += 1
    if (hay[at] !== code) return null
    at += 1
  }
  return at
}

const isBlank = (code: number) => code === 0x20 || code === 0x09 || code === 0x0a
const isLetter = (code: number) => code > 0 && /[\p{L}\p{N}_]/u.test(String.fromCodePoint(code))

type Facts = {
  prompt: Prompt
  modes: ModesSeen
  /** Characters that stayed on the line. */
  typed: number
  appearance: Appearance
  /** It is one of the choices that the prompt shows. */
  listed: boolean
}

/** Whether an answer must not be stored. Null: not known yet. */
export function isSecret({ prompt, modes, typed, appearance, listed }: Facts): boolean | null {
  if (prompt.secret || prompt.type === 'password' || modes.hidden) return true
  if (typed === 0 || listed) return false
  if (appearance === 'bullets') return true
  if (appearance === 'shown') return false
  if (appearance === 'missing') return true
  if (modes.hiddenSince) return null
  // Text that the driver echoed was on the screen, even if it is gone by now.
  return modes.shown && !modes.raw ? false : null
}
