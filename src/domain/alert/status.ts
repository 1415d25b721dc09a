/** Paused by a person (for a time or indefinitely) or by the agent for a long operation; ends when the time does. */
export const isPaused = (
  { stallPaused, stallPausedUntil }: { readonly stallPaused: boolean; readonly stallPausedUntil: string | null },
  now: number,
): boolean => (stallPausedUntil === null ? stallPaused : Date.parse(stallPausedUntil) > now)
