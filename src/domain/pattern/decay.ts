const halfLifeMs = 30 * 86_400_000

/** What is left of a weight of 1 after this time. A clock that went back does not increase it. */
export const decay = (ageMs: number): number => 0.5 ** (Math.max(0, ageMs) / halfLifeMs)

/** A weight, converted to another time. */
export const weightAt = (weight: number, then: string, now: number): number => weight * decay(now - Date.parse(then))
