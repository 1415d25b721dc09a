import type { Option } from '../options.ts'
import { withoutBrackets, withoutEnd } from '../question.ts'
import { auxiliaryStart, fieldStart, onlyContinues, selectWords, typeYes, wantsNumbers } from '../words/ask.ts'
import { pathWords } from '../words/path.ts'
import type { Parts } from './parts.ts'

const listsCode = (listed: readonly Option[]): boolean =>
  listed.some(({ label }) => /[=;{}]|\w\(|^(?:import|from|def|const|let|var|return|print)(?![\p{L}])/u.test(label))

/** Asks for one of the entries that are listed above it. */
export const picksListed = (parts: Parts, fullScreen: boolean): boolean => {
  const { question, listed } = parts
  if (/(?<![\p{L}])(?:enter|type) the (?:full )?(?:name|path) of(?![\p{L}])/iu.test(question)) return false
  if (onlyContinues(question)) return false
  // `Update>>` under the files that can be named by their number.
  if (/^\p{Lu}[\p{L} ]{2,30}>>$/u.test(question) && listed.length > 0 && parts.distance === 0) return true
  if (listed.length === 0 || (listed.length === 1 && !/^(?:select|choose|pick)(?![\p{L}])/iu.test(question)))
    return false
  if (/^[\w.-]+[>#$%]$/u.test(question) && listed.every(({ key }) => key.length > 1 && !/^\d/u.test(key))) return false
  // A shell takes commands, whatever it printed.
  if (/^[\w.:~@/-]+[#$%]$/u.test(question)) return false
  // A debugger lists lines of code.
  if (
    /^(?:[\w-]+[>#$%]|\([\w-]+\))$/u.test(question) &&
    !parts.near.some((line) => selectWords.test(line)) &&
    !selectWords.test(question) &&
    listsCode(listed)
  )
    return false
  // What stands above is a text somebody reads or writes, whatever its lines begin with.
  if (fullScreen && !selectWords.test(question)) return false
  const plain = withoutBrackets(withoutEnd(question))
  if (
    selectWords.test(question) ||
    wantsNumbers.test(question) ||
    /[([]\d+\s?-\s?\d+[)\],]/u.test(question) ||
    /^[?#>:\s]*$/u.test(plain)
  )
    return true
  if (/^how (?:many|much|long|old|often)(?![\p{L}])/iu.test(plain)) return false
  if (parts.prose || auxiliaryStart.test(plain) || typeYes.test(question)) return false
  if (parts.distance === 0) return plain.split(' ').length <= 14
  if (fieldStart.test(plain) || pathWords.test(plain)) return false
  return parts.distance <= 1 && plain.split(' ').length <= 6
}
