const halfLifeMs = 30 * 86_400_000

/** What is left, after this long, of one that was one. Clocks that went back do not make it more. */
export const decay = (ageMs: number): number => 0.5 ** (Math.max(0, ageMs) / halfLifeMs)

/** What a weight of then is worth at another time. */
export const weightAt = (weight: number, then: string, now: number): number => weight * decay(now - Date.parse(then))
