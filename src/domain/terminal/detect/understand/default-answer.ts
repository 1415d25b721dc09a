import { bracketed, namesOptions } from './options.ts'
import { isNo, isYes } from './words/yes-no.ts'

const word = String.raw`default|standard(?:wert)?|vorgabe|par défaut|défaut|por defecto|predeterminado|padrão|predefinito|по умолчанию|默认(?:值)?|默認(?:值)?|既定値?|デフォルト|기본값`
const value = String.raw`["'‘“${'`'}]?([^\s"'’”${'`'},;)\]}）】]+)`
/** `default: x`, `default is x`, and inside brackets `(1,2, default 2)`. */
const named = new RegExp(
  String.raw`(?<![\p{L}-])(?:${word})\s*(?:is|ist|es|est|to|为|是|[=:：])\s*${value}|[([（【,，]\s*(?:${word})\s*[=:：]?\s*${value}`,
  'iu',
)

const hint =
  /^(?:e\.?g\.?|i\.?e\.?|eg,|for example|z\.\s?b\.|optional|required|hidden|empty|leave|press|hit|type|use|will|m for|\? for|no echo|not echoed|max|min|up to|y or n|none|(?:esc(?:ape)?|ctrl\S*|\^\S) |[<{])/iu

const isWhole = (inner: string, keys: readonly string[]): boolean =>
  !hint.test(inner.trim()) &&
  !namesOptions(inner) &&
  !keys.includes(inner.trim()) &&
  !/^$|\?$/u.test(inner.trim()) &&
  !/^[*#?\s…_.]{1,3}$/u.test(inner.trim())

/** What Enter alone would answer, as the prompt names it; null: it names none. */
export const namedDefault = (question: string, keys: readonly string[] = []): string | null => {
  const match = named.exec(question)
  const said = match?.[1] ?? match?.[2]
  if (said !== undefined) return said.replace(/[.)]$/u, '')
  const end = question.replace(/[\s:：?？>]+$/u, '')
  for (const span of bracketed(question).toReversed()) {
    const last = span.to >= end.length
    const square = question[span.from] === '['
    if (!isWhole(span.inner, keys)) continue
    const inner = span.inner.trim()
    if (isYes(inner) || isNo(inner)) return inner
    if (!last || /^\d+\s?[-–]\s?\d+(?:$|,)/u.test(inner) || inner.length > 200) continue
    if (square || roundDefault(inner, question, span.from)) return inner.replace(/,\s.*$/u, '')
  }
  return null
}

/** `(index.js)`, `(3072)` and `(/root/.ssh/id_rsa)` are defaults; `(full name)` explains. */
const roundDefault = (inner: string, question: string, from: number): boolean =>
  from > 0 &&
  !inner.includes(' ') &&
  (/^[~./\\]|^\d+$|\.|^[A-Z]:\\/u.test(inner) || /[:?]\s*\($/u.test(question.slice(0, from + 1)))
