import type { PatternContext } from '../domain/pattern/schema.ts'

/** An answer as people say it. */
export const answerWords = (response: string): string => (response === '' ? '(Enter)' : response)

/** `apt on web1`, as far as it is known. */
export const whereWords = ({ program, host }: PatternContext): string =>
  [program, host === '' ? '' : `on ${host}`].filter((part) => part !== '').join(' ')

export const shareWords = (successCount: number, count: number): string =>
  count === 0 ? '' : `${Math.round((100 * successCount) / count)} %`
