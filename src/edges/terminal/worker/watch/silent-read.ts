import type { ScreenLook } from './look.ts'
import type { TerminalActivity } from './sampler.ts'

/** When the first key of a line came, and what was known then. */
export type LineStart = { at: number; keys: number; printed: number; mark: string | null }

/** A program that shows what is typed does so within this time, on a busy machine too. */
const echoMs = 500

/**
 * Whether the program edits lines itself, has read every key so far and waits for the next, and has printed nothing: it
 * hides what is typed, whatever it prints after Enter. Keys that it has not read yet say nothing.
 */
export function hasReadSilently(
  start: LineStart,
  { fg, local, mode, keys, printed }: ScreenLook,
  activity: Pick<TerminalActivity, 'keys' | 'printed'>,
  now: number,
): boolean {
  if (!local || mode?.canonical !== false || fg === null || fg.reading === 'no' || fg.relays === true) return false
  const isWhole = keys === activity.keys && keys > start.keys
  const isMute = printed === start.printed && activity.printed === start.printed
  const hasRead = start.mark !== null && fg.mark !== start.mark
  return isWhole && isMute && hasRead && now - start.at >= echoMs
}
