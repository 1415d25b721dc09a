import type { Prompt } from '../../../../domain/terminal/verdict.ts'
import { iso } from '../../../../lib/clock.ts'
import { goesOnFrom, isBeingTyped, ran, sameOccurrence, type Occurrence } from './prompt-identity.ts'
import type { ScreenLook } from './look.ts'
import { collapse, textAbove } from './screen-text.ts'
import { bullets } from './secrecy.ts'
import { positionOf, stands } from './prompt-position.ts'

/** What is known about a terminal. Each look is weighed against it. */
export type KnownState = {
  state: 'working' | 'waiting' | 'exited'
  /** Set only while it waits. */
  open: Occurrence | null
  /** The prompt at which a line was entered, until the program shows that it continued. */
  answered: AnsweredLine | null
  /** How many looks in a row the kernel said that no process reads. */
  notReading: number
  /** Since when every look has said `working`. */
  contradictedAt: number | null
}

type AnsweredLine = { key: string; text: string; secret: boolean; place: string; printed: number; mark: string | null }

/** How long looks must contradict before an open prompt is dropped. */
const contradictedMs = 3000
const sure = 0.8
/** A program that shows its prompt unchanged after Enter has ignored it. */
const ignoredMs = 1000
/** A prompt that is invisible for this long is not being redrawn. */
const goneMs = 250
/** A program that does not read for this long has left its prompt. */
const leftMs = 200
/** Output usually arrives within this time. */
const underWayMs = 80

export const nothingKnown: KnownState = {
  state: 'working',
  open: null,
  answered: null,
  notReading: 0,
  contradictedAt: null,
}

export function step(known: KnownState, look: ScreenLook, newId: () => string): KnownState {
  if (known.state === 'exited') return known
  const { prompt, state } = look.verdict
  if (state === 'waiting' && prompt) return waiting(known, look, prompt, newId)
  if (state === 'working') return working(known, look)
  if (known.open && look.quietMs >= goneMs && movedOn(known.open, look)) return nothingKnown
  // An unknown verdict changes nothing.
  return { ...known, contradictedAt: null }
}

/** A whole line was entered: the prompt is answered. */
export function lineEntered(known: KnownState, printed: number): KnownState {
  const { open } = known
  if (!open) return known
  const { key, place, mark, prompt } = open
  return { ...nothingKnown, answered: { key, text: prompt.text, secret: prompt.secret, place, printed, mark } }
}

/** ^C: nothing was entered; the prompt is over if the program shows that. */
export const interrupted = (known: KnownState): KnownState =>
  known.open ? { ...known, open: { ...known.open, broken: true } } : known

export const exited: KnownState = { ...nothingKnown, state: 'exited' }

function waiting(known: KnownState, look: ScreenLook, seen: Prompt, newId: () => string): KnownState {
  if (mayBeUnderWay(known, look)) return { ...known, contradictedAt: null }
  if (known.answered && !wentOn(known.answered, look, seen)) return { ...known, contradictedAt: null }
  const { open } = known
  if (open && sameOccurrence(open, look, seen)) {
    const kept = look.key === open.key ? { ...open.prompt, ...seen, text: open.prompt.text } : open.prompt
    const prompt = { ...kept, secret: open.prompt.secret || seen.secret }
    const around = { place: textAbove(look.lines ?? []), mark: markOf(look), row: look.row }
    return { ...nothingKnown, state: 'waiting', open: { ...open, ...around, prompt } }
  }
  return { ...nothingKnown, state: 'waiting', open: occurrence(look, seen, newId()) }
}

function occurrence(look: ScreenLook, seen: Prompt, id: string): Occurrence {
  const lines = look.lines ?? []
  return {
    prompt: { ...seen, id, since: iso(Math.max(look.printedAt, look.enteredAt)), offset: look.offset },
    key: look.key ?? '',
    stand: positionOf(lines, seen.text),
    place: textAbove(lines),
    row: look.row,
    printed: look.printed,
    keys: look.keys,
    mark: markOf(look),
    wrote: look.local ? (look.fg?.wrote ?? null) : null,
    alternate: look.alternate,
    broken: false,
  }
}

/** The kernel may report a read before the last output has arrived: then the prompt is not visible yet. */
function mayBeUnderWay({ open, answered }: KnownState, look: ScreenLook): boolean {
  if (open || !look.local || look.fg?.reading !== 'read' || look.alternate) return false
  if (look.at - Math.max(look.printedAt, look.enteredAt) >= underWayMs) return false
  const bare = look.lines?.some(({ cursor, text }) => cursor && text === '') ?? true
  return (bare && look.fg.complete !== true) || (answered !== null && look.printed === answered.printed)
}

const markOf = ({ local, fg }: ScreenLook): string | null => (local ? (fg?.mark ?? null) : null)

/** Whether the program has read the entered line: only then can the same words be a prompt again. */
function wentOn(answered: AnsweredLine, look: ScreenLook, seen: Prompt): boolean {
  if (look.local && look.fg?.reading === 'read') return answered.mark === null || ran(answered.mark, look)
  const printed = look.printed > answered.printed
  if (printed && (look.alternate || textAbove(look.lines ?? []) !== answered.place)) return true
  const sameWords = look.key === answered.key || isEcho(answered, seen)
  if (printed && !sameWords) return true
  return look.local && look.fg?.reading === 'poll' && ran(answered.mark, look) && look.quietMs >= ignoredMs
}

/** The typed text follows the prompt; for a secret, only bullets. */
const isEcho = ({ text, secret }: AnsweredLine, seen: Prompt): boolean =>
  goesOnFrom(text, seen.text) && (!secret || bullets.test(collapse(seen.text).slice(collapse(text).length)))

function working(known: KnownState, look: ScreenLook): KnownState {
  const idle = look.local && look.fg?.reading === 'no'
  if (!known.open) return idle && known.answered ? nothingKnown : known
  const notReading = idle ? known.notReading + 1 : 0
  const contradictedAt = known.contradictedAt ?? look.at
  // On a busy machine a program with a spinner beside its question may be waiting for CPU.
  const left = notReading >= 2 && look.at - contradictedAt >= leftMs
  if (left || movedOn(known.open, look)) return nothingKnown
  // A spinner beside a question is not an answer, but a lasting contradiction counts.
  const firm = look.verdict.confidence >= sure && look.printed > known.open.printed && !isBeingTyped(known.open, look)
  if (firm && look.at - contradictedAt >= contradictedMs) return nothingKnown
  return { ...known, notReading, contradictedAt }
}

/** The program printed, and its prompt is no longer in its place. */
const movedOn = (open: Occurrence, look: ScreenLook): boolean =>
  look.printed > open.printed && look.lines !== null && !stands(open.stand, look.lines) && !isBeingTyped(open, look)
