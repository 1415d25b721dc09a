import type { PatternContext } from '../domain/pattern/schema.ts'

/** An answer as shown to people. */
export const patternAnswerText = (response: string): string => (response === '' ? '(Enter)' : response)

/** `apt on web1`, as far as known. */
export const patternContextText = ({ program, host }: PatternContext): string =>
  [program, host === '' ? '' : `on ${host}`].filter((part) => part !== '').join(' ')

export const shareText = (successCount: number, count: number): string =>
  count === 0 ? '' : `${Math.round((100 * successCount) / count)} %`
