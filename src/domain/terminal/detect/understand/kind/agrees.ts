import type { Option } from '../options.ts'
import { isNo, isYes } from '../words/yes-no.ts'

/** Two answers, yes and no; help and the like beside them change nothing. */
export const agrees = (options: readonly Option[]): boolean => {
  // The letter of a longer word stands for that word: `[S]tand`.
  const means = (option: Option, test: (word: string) => boolean) =>
    test(option.label) ||
    (option.label.length <= 2 && test(option.key)) ||
    (/^[yn]$/iu.test(option.key) && test(option.key))
  if (
    options.length === 2 &&
    options.some(({ key }) => /^ok(?:ay)?$/iu.test(key)) &&
    options.some(({ key }) => /^(?:cancel|abort)$/iu.test(key))
  )
    return true
  const others = options.filter((option) => !means(option, isYes) && !means(option, isNo))
  const yes = options.filter((option) => means(option, isYes))
  const no = options.some((option) => means(option, isNo))
  // Two ways to agree are two answers: `[P] Yes, prepend  [A] Yes, append`.
  const oneWay = yes.length === 1 || (yes.length > 1 && yes.every((option) => isYes(option.key)))
  return (
    oneWay &&
    no &&
    others.every(
      (option) =>
        /^(?:\?|fingerprint|help|hilfe|aide|h|esc|\^.|c-.|ctrl-.)$/iu.test(option.key) ||
        (option.key === 'q' && options.some(({ key }) => key === '?') && options.length === 4),
    )
  )
}
