/** A second tap shortly after the first is the same tap for a nervous finger. */
const nervousMs = 500

/** What was tapped once, and when. */
export type Armed = { key: string; at: number } | null

/** Where an answer may do harm it is tapped twice: the first tap arms, the second acts. */
export function tapped(armed: Armed, key: string, now: number): { armed: Armed; acts: boolean } {
  if (armed?.key !== key) return { armed: { key, at: now }, acts: false }
  return now - armed.at < nervousMs ? { armed, acts: false } : { armed: null, acts: true }
}
