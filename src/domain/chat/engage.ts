import { linearRegex, type LinearRegex } from '../../lib/linear-regex.ts'
import type { Wiring } from './schema.ts'

export type Heard = {
  readonly text: string
  /** It names us, or was written to us alone. */
  readonly addressed: boolean
  readonly isDirect: boolean
  /** The agent group has a live session in this thread. */
  readonly hasSession: boolean
}

/** `fault`: why the wiring can't decide; it then never engages. */
export type Engagement = { readonly engaged: boolean; readonly fault: string | null }

const settled = (engaged: boolean): Engagement => ({ engaged, fault: null })

/** Whether a message is for the agent of a wiring. */
export function engagementOf(wiring: Pick<Wiring, 'engageMode' | 'engagePattern'>, heard: Heard): Engagement {
  switch (wiring.engageMode) {
    case 'mention':
      return settled(heard.addressed)
    case 'mention-sticky':
      // A direct message always addresses us; a session alone must not make one of it.
      return settled(heard.addressed || (heard.hasSession && !heard.isDirect))
    case 'pattern':
      return byPattern(wiring.engagePattern, heard.text)
    default:
      return wiring.engageMode satisfies never
  }
}

function byPattern(pattern: string | null, text: string): Engagement {
  if (pattern === null || pattern === '.') return settled(true)
  const matches = compiled(pattern)
  return matches === null
    ? { engaged: false, fault: `invalid engage pattern: ${pattern}` }
    : settled(matches(text.slice(0, longestText)))
}

/** Longer texts are matched by their beginning. */
const longestText = 40_000
const mostKept = 200
const kept = new Map<string, LinearRegex | null>()

/** Patterns are compiled once, as long as they are few. */
function compiled(pattern: string): LinearRegex | null {
  const known = kept.get(pattern)
  if (known !== undefined) return known
  if (kept.size >= mostKept) kept.clear()
  const made = linearRegex(pattern)
  kept.set(pattern, made)
  return made
}
