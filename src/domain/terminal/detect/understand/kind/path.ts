import { withoutBrackets } from '../question.ts'
import { looksLikePath, pathWords, whereTo } from '../words/path.ts'
import type { Parts } from './parts.ts'

/** A file or a directory is asked for. */
export const isPath = (parts: Parts): boolean => {
  const plain = withoutBrackets(parts.question)
  if (
    /(?<![\p{L}])(?:pattern|regex|glob|extension|(?:type|format|size|length|kind|mode|permission|owner|encoding)s? of)s?(?![\p{L}])/iu.test(
      plain,
    )
  )
    return false
  if (
    /^(?:destination|output|examine|(?:log|save|write|export) to|input \[stdin\])\s*(?:\[[^\]]*\])?:$/iu.test(
      parts.question,
    )
  )
    return true
  if (/\((?:e\.?g\.?|for example|like|such as),?:? ~?\.{0,2}\/\S*\)/iu.test(parts.question)) return true
  if (whereTo.test(plain) || pathWords.test(plain) || /^(?:~|\.{0,2})\/\S+:$/u.test(parts.question)) return true
  if (parts.fallback !== null && looksLikePath(parts.fallback) && !/(?<![\p{L}])buffer(?![\p{L}])/iu.test(plain))
    return true
  if (/^\(\S*(?:file|dir|path)\S*\)$|^(?:rename|move|copy)(?![\p{L}]).*(?:->|=>|to[:?]?)$/iu.test(parts.question))
    return true
  return (
    /^(?:new|enter new) (?:file)?name:?$/iu.test(plain) &&
    /\[?r\]?ename|exist/iu.test(`${parts.answered ?? ''} ${parts.near.at(-1) ?? ''}`)
  )
}
