/** By a person, for a time or until they say otherwise, or by the agent for a long operation; over when the time is. */
export const isPaused = (
  { stallPaused, stallPausedUntil }: { readonly stallPaused: boolean; readonly stallPausedUntil: string | null },
  now: number,
): boolean => (stallPausedUntil === null ? stallPaused : Date.parse(stallPausedUntil) > now)
