import { bracketed } from '../options.ts'
import { withoutBrackets } from '../question.ts'
import { isLocallyChanged } from './statements.ts'
import { verbIn } from './verbs.ts'

const longest = 120

export const clip = (text: string): string => {
  const plain = text.replaceAll(/\s+/gu, ' ').trim()
  return plain.length > longest ? `${plain.slice(0, longest - 1).trimEnd()}…` : plain
}

const generic =
  /^(?:it|this|that|them|these|all|anyway|now|any(?:way)?|existing|the|files?|please|y|n|yes|no|or|to|and|continue|proceed)?$/iu

/** A file, a device or a quoted name on a line. */
const thing =
  /["'‘“«„`]([^"'’”»“`]{1,80})["'’”»`]|((?:~|\.{1,2})?\/[^\s,;:?()]{1,120}|[\w-]+(?:\.[\w-]+)*\.[a-z]\w{0,4}(?![\w.]))/u

export const thingIn = (line: string): string | null => {
  const match = thing.exec(line)
  return match?.[1] ?? match?.[2]?.replace(/[.…]$/u, '') ?? null
}

/** `(N)o/(y)es/(c)ontinue:` */
const keyedWords = /(?:[\s/,|]*[([]\p{L}[)\]]\p{L}{1,20}){2,12}\s*[:?]?\s*$/u

/** The object after the verb, as the sentence names it. */
const objectAfter = (text: string, at: number): string =>
  withoutBrackets(text.slice(at).replace(keyedWords, ''))
    .split(/[?？!;]|\.\s|:\s*$|,\s+(?:are|is|do|and continue)|\s+\[|\s+\(/u)[0]
    ?.replace(/^[\s:>",;./]+(?=\s)|^<[yn]>/iu, '')
    .replace(/[.:,!]+$/u, '')
    .trim() ?? ''

/** The object comes before "will be deleted". */
const passive =
  /(?:^|[.:;!]\s+)(?:the (?!following))?([^.:;!]{3,100}?)\s+(?:will|would|is going to|are going to) (?:all )?be\s+(?:\p{L}+\s)?$/iu

/** "deletes 3 tables": the verb and its object, from the sentence itself or else from the lines above. */
export const verbReason = (text: string, above: readonly string[]): string | null => {
  const last = text.split(/[.;]\s+/u).at(-1) ?? text
  const sentence = verbIn(last) === null ? text : last
  const verb = verbIn(sentence)
  if (verb === null) return null
  if (verb.does.endsWith(':')) return clip(`${verb.does} ${withoutOptions(text)}`)
  const subject = passive.exec(sentence.slice(0, verb.from))?.[1]
  if (subject !== undefined) return clip(`${verb.does} ${subject}`)
  const object = objectAfter(sentence, verb.to)
  const latin = /[a-z]/iu.test(sentence.slice(verb.from, verb.to))
  if (!latin || isForeign(text)) return clip(`${verb.does} what it asks about: ${withoutOptions(text)}`)
  if (!generic.test(object)) return clip(`${verb.does} ${object}`)
  const before =
    thingIn(withoutBrackets(text)) ??
    above
      .toReversed()
      .map(thingIn)
      .find((each) => each !== null)
  if (before !== undefined && before !== null) return clip(`${verb.does} ${before}`)
  return clip(`${verb.does} ${object === '' ? 'what it asks about' : object}`)
}

const withoutOptions = (text: string): string => {
  const last = bracketed(text).at(-1)
  return last === undefined || last.from === 0 ? text : text.slice(0, last.from).trim()
}

const isForeign = (text: string): boolean => /[à-ÿ]|(?![\u2000-\u2bff])[\u0250-\uffff]/iu.test(text)

/** The reason from a line above; if it ends in a colon, with what it lists. */
export const lineReason = (line: string, below: readonly string[], before: readonly string[]): string => {
  const named = below.filter((each) => /\p{L}/u.test(each))
  const end = named.findIndex((each) => each.endsWith('.'))
  const listed = named.slice(0, end <= 0 ? 3 : Math.min(3, end)).map((each) => each.replace(/^[-*•\s]+/u, ''))
  const whole = /[.:!?。]$/u.test(line) || line.length < 50 ? line : `${line} ${named[0] ?? ''}`
  if (isLocallyChanged(line)) {
    const file = [line, ...before.toReversed()].map(thingIn).find((each) => each !== null)
    return clip(`may replace ${file ?? 'a file'}, which was changed locally`)
  }
  const reason = line.endsWith(':') ? verbListReason(line, listed) : verbReason(whole, below)
  return reason ?? clip(`it says: ${line}`)
}

const verbListReason = (line: string, listed: readonly string[]): string | null => {
  const verb = verbIn(line)
  if (verb === null || listed.length === 0) return null
  const fields = listed.every((each) => /^[\p{L} ]{2,20}:\s/u.test(each))
  const place = fields ? listed.map(thingIn).find((each) => each !== null) : undefined
  return clip(`${verb.does} ${place ?? listed.join(', ')}`)
}
