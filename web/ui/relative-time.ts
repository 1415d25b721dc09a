const steps: readonly [seconds: number, unit: string][] = [
  [60, 's'],
  [3600, 'min'],
  [86_400, 'h'],
  [86_400 * 60, 'd'],
]
const sizes: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 }

/** `12 s`, `4 min`, `3 h`, `12 d`; past that, months and years. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [, unit] = steps.find(([below]) => whole < below) ?? []
  if (unit !== undefined) return `${Math.floor(whole / (sizes[unit] ?? 1))} ${unit}`
  const months = Math.floor(whole / (86_400 * 30))
  return months < 24 ? `${months} months` : `${Math.floor(months / 12)} years`
}

export function relativeTime(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1000
  if (Math.abs(seconds) < 5) return 'now'
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`
}

export const exactTime = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })
