/** A second tap this soon is a double tap, not a confirmation. */
const nervousMs = 500

/** What was tapped once, and when. */
export type ArmedTap = { key: string; at: number } | null

/** A dangerous answer takes two taps: the first arms, the second acts. */
export function tapped(armed: ArmedTap, key: string, now: number): { armed: ArmedTap; acts: boolean } {
  if (armed?.key !== key) return { armed: { key, at: now }, acts: false }
  return now - armed.at < nervousMs ? { armed, acts: false } : { armed: null, acts: true }
}
