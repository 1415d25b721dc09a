import type { Option } from '../options.ts'
import { isNo, isYes } from '../words/yes-no.ts'

/** Two answers, yes and no; extras such as help don't matter. */
export const agrees = (options: readonly Option[]): boolean => {
  // The first letter of a longer word means that word, not yes or no: `[S]tand`.
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
  // Two ways to agree are two different answers: `[P] Yes, prepend  [A] Yes, append`.
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
