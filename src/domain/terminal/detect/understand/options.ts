import { withoutBrackets } from './question.ts'
import { isNo, isYes } from './words/yes-no.ts'

/** One answer that the prompt names. */
export type Option = { key: string; label: string; isDefault: boolean }

type Span = { from: number; to: number; inner: string }

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '（': '）', '【': '】' }

// <y/N>: replaced by square brackets of the same length, so that positions stay valid.
const inAngles = /<(\s*[\p{L}\d]{1,12}(?:\s*[/|]\s*[\p{L}\d]{1,12})+\s*)>/gu

const inBraces = /(?<!\S)\{([\p{L}\d-]+(?:[,|/][\p{L}\d-]+)+)\}/gu

/** Bracketed parts of a text, outermost only, left to right. */
export const bracketed = (given: string): Span[] => {
  const text = given
    .replaceAll(inAngles, '[$1]')
    .replaceAll(inBraces, (_, inner: string) => `[${inner.replaceAll(',', '/')}]`)
  const spans: Span[] = []
  let from = -1
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? ''
    if (pairs[char] !== undefined) {
      if (depth === 0) from = at
      depth += 1
    } else if (Object.values(pairs).includes(char) && depth > 0) {
      depth -= 1
      if (depth === 0) spans.push({ from, to: at + 1, inner: text.slice(from + 1, at) })
    }
  }
  return spans
}

const optionWords = new Set(
  'yes no all none delete remove append discard save always never quit exit cancel abort retry ignore fail fix skip ok okay keep replace overwrite rename accept reject decline agree disagree allow deny continue stop edit view help diff merge back next ask on off true false enable disable auto manual once session permanently temporarily left right ours theirs local remote ja nein alle keine abbrechen oui non tous aucun annuler sí todo todos ninguno cancelar sim não tutti nessuno annulla да нет 是 否 全部 取消 はい いいえ すべて'.split(
    ' ',
  ),
)

const stopRuns = new Set(['any', 'only', 'many', 'yarn', 'sync', 'nyc'])

/** `[anpqy?]`: keys without separators. */
const run = (text: string): Option[] => {
  const inner = text.replace(/^(\p{L})-(\p{L})$/u, '$1$2')
  if (!/^[\p{L}\d?*+!]{2,20}$/u.test(inner) || stopRuns.has(inner.toLowerCase())) return []
  const keys = Array.from(inner)
  const lower = keys.map((key) => key.toLowerCase())
  if (new Set(keys).size !== keys.length) return []
  const pair = !isNo(inner) && inner !== 'on' && /^(?:[yjosд][nн]|[nн][yjosд])$/iu.test(inner)
  const sorted = lower.join('') === lower.toSorted().join('')
  const hasBoth = lower.includes('y') && lower.includes('n')
  const known =
    (hasBoth && (sorted || /^\+?[yn]/iu.test(inner) || inner.includes('?'))) ||
    /^\d.*[?q]$/u.test(inner) ||
    /^[yn].*\?$/iu.test(inner)
  if (!pair && !known) return []
  const capitals = keys.filter((key) => /\p{Lu}/u.test(key))
  return keys.map((key) => ({ key, label: key, isDefault: capitals.length === 1 && key === capitals[0] }))
}

const stripped = (token: string): { word: string; marked: boolean } => {
  const inner = /^[[(<](.+)[\])>]$/u.exec(token)?.[1]
  // `return = YES`: the meaning of the key.
  const meant = /^\S+\s=\s(\S+)$/u.exec(token)?.[1]
  return { word: (inner ?? meant ?? token).replaceAll(/^["'‘“`]|["'’”`]$/gu, '').trim(), marked: inner !== undefined }
}

const isDefaultNote = (token: string): boolean =>
  /^(?:default|standard(?=\s*[:=])|défaut|par défaut|predeterminado|默认|默認|既定)(?![\p{L}])/iu.test(token)

/** `[Y/n]`, `(yes/no/[fingerprint])`, `(y, n, !, q)`, `(1,2, default 2)`, `y or n`. */
export const tokens = (given: string): Option[] => {
  // `[a/r/i/...? shows all options]`
  const inner = given.replace(/\/\.{3}\?.*$/u, '')
  if (/^Yy\s?[/|]\s?Nn$/u.test(inner)) return tokens('y/n')
  const byComma = inner.includes(',') && inner.split(',').every((part) => part.trim().length <= 3)
  const bySlash = !byComma && /[/|｜／]/u.test(inner)
  const parts = inner
    .replace(/^(?:please )?(?:choose|select|pick|enter|type|one of|either)(?: between| from)?:? (?=\S)/iu, '')
    .split(
      bySlash
        ? /\s*[/|｜／]\s*/u
        : /\s*[,，、]\s*(?:or\s+|oder\s+|ou\s+|o\s+)?|\s+(?:or|oder|ou|o|ou bien|或|または)\s+/u,
    )
    .map((part) => part.trim())
  const kept = parts.filter((part) => part !== '' && !isDefaultNote(part))
  if (kept.length < 2 || kept.length > 20 || (bySlash && parts[0] === '')) return []
  const read = kept.map(stripped)
  const words = read.map((token) => token.word)
  if (
    words.some(
      (word) =>
        word === '' ||
        word.length > 16 ||
        (/[<>\\@=.](?=.)|\s\S+\s/u.test(word) && !(words.some(isYes) && /^\d+(?:\.\d+)+$/u.test(word))),
    )
  )
    return []
  const short = words.every((word) => word.length <= 2 || /^(?:C-.|\^.|esc|ret|\d{1,3}(?:\.\d+)*)$/iu.test(word))
  const both = words.some(isYes) && words.some(isNo)
  const known = words.filter((word) => optionWords.has(word.toLowerCase())).length
  // Bars separate only lists of answers.
  const plainWords =
    (words.length >= 3 || /^[^/]*\|[^/]*$/u.test(inner)) && words.every((word) => /^[\p{L}\d-]+$/u.test(word))
  if (!both && !short && known < Math.min(2, words.length) && !plainWords) return []
  return withDefault(read)
}

const withDefault = (read: readonly { word: string; marked: boolean }[]): Option[] => {
  const letters = read.filter((token) => /^\p{L}$/u.test(token.word))
  const capitals = read.filter((token) => /^\p{Lu}/u.test(token.word))
  const lowers = read.filter((token) => /^\p{Ll}/u.test(token.word))
  const capital = capitals.length === 1 && lowers.length > 0 ? capitals[0] : undefined
  const marked = read.filter((token) => token.marked && !/^fingerprint$/iu.test(token.word))
  const chosen = marked.length === 1 && (letters.length !== 1 || read.length === 2) ? marked[0] : capital
  return read.map((token) => ({ key: token.word, label: token.word, isDefault: token === chosen }))
}

/** `[y]es, [n]o, [A]ll`, `(Y)es / A(u)to rename`, `(p) Postpone, (df) Show diff`. */
const lettered = (text: string): Option[] => {
  const found: Option[] = []
  const form =
    /(?<![\p{L}\p{N}\])])(\p{L}{0,10})[[(](\p{L}{1,2}|\d{1,2}|[?!])[\])](\p{L}+(?: \p{Ll}+){0,4}| \p{L}[\p{L}'’-]*(?: [\p{L}'’-]+){0,5})?/gu
  for (const [, head = '', key = '', tail = ''] of text.matchAll(form)) {
    if (head === '' && tail === '') continue
    const glued = tail !== '' && !tail.startsWith(' ')
    const label = (head + (glued || head !== '' ? key : '') + tail).trim()
    if (!found.some((option) => option.key === key)) found.push({ key, label, isDefault: false })
  }
  return found.length >= 2 ? found : []
}

/** `はい([Y]), いいえ((N))` */
const suffixed = (text: string): Option[] => {
  const found = [...text.matchAll(/(\p{L}+)\s?[(（][[(]?(\p{Lu})[\])]?[)）]/gu)]
  const options = found.map(([, label = '', key = '']) => ({ key, label, isDefault: false }))
  return options.length >= 2 && options.every(({ label }) => /[^\0-\u024f]/u.test(label)) ? options : []
}

/** `s)kip S)kip-all q)uit` */
const closed = (text: string): Option[] => {
  const found = [...text.matchAll(/(?<![\p{L}\p{N}([])(\p{L})\)(\p{L}[\p{L}-]*)/gu)]
  const options = found.map(([, key = '', tail = '']) => ({ key, label: key + tail, isDefault: false }))
  return options.length >= 3 || (options.length === 2 && /,? or \p{L}\)/u.test(text)) ? options : []
}

/** `m merge, t toggle-merge, l look-merge:` */
const spaced = (text: string): Option[] => {
  const found = [...text.matchAll(/(?<=^|,\s|>\s)(\p{Ll}) (\p{Ll}[\p{Ll}-]+)(?=,|\s*[:?]?$)/gu)]
  return found.length >= 3 ? found.map(([, key = '', label = '']) => ({ key, label, isDefault: false })) : []
}

/** `Yes/No?`, `y/n>`, `y or n`. */
const bare = (text: string): Option[] => {
  const end = text.replace(/(?<=[yn]) \[[yn]\]\s*:?$/iu, '').replace(/[\s:：>?？.]+$/u, '')
  const commas = end.split(/,\s*(?:or\s+)?/u)
  if (commas.length >= 3 && commas.every((word) => optionWords.has(word.toLowerCase()))) return tokens(commas.join('/'))
  if (/(?<![\p{L}])Yy\s?\|\s?Nn(?![\p{L}])/u.test(text)) return tokens('y/n')
  const asked = /[?？]\s+([\p{L}-]+(?:\/[\p{L}-]+)+)$/u.exec(end)?.[1]?.split('/') ?? []
  if (asked.length >= 2) return asked.map((word) => ({ key: word, label: word, isDefault: false }))
  const slashed = /(?:^|\s)((?:\p{L}{1,12}|\d|\[\p{L}+\])(?:[/|](?:\p{L}{1,12}|\d|\?|\[\p{L}+\]))+)$/u.exec(end)?.[1]
  if (slashed !== undefined) {
    const found = tokens(slashed)
    const whole =
      slashed.length === end.length ||
      (found.some((option) => isYes(option.key)) && found.some((option) => isNo(option.key)))
    const single = whole && found.every((option) => option.key.length === 1)
    if (found.length >= 2 && (single || found.some((option) => optionWords.has(option.key.toLowerCase())))) return found
  }
  // `github/gitlab/circle/(none)`
  const none = /(?:^|\s)(\p{Ll}[\p{L}-]{0,14}(?:\/\p{Ll}[\p{L}-]{0,14}){1,8})\/\(none\)$/u.exec(end)?.[1]
  if (none !== undefined)
    return [...none.split('/'), 'none'].map((word) => ({ key: word, label: word, isDefault: word === 'none' }))
  const words = /(?:^|\s)["'‘“]?(\p{L}+)["'’”]?\s+(?:or|oder|ou|o|или|または|或)\s+["'‘“]?(\p{L}+)["'’”]?$/iu.exec(end)
  const [, one = '', two = ''] = words ?? []
  return (isYes(one) && isNo(two)) || (isNo(one) && isYes(two)) ? tokens(`${one}/${two}`) : []
}

/** `Skip, Use as-is, as Tracks, aBort?`: the capital letter is the key. */
const capitals = (text: string): Option[] => {
  const parts = withoutBrackets(text).split(/,\s+(?:or\s+)?/u)
  if (parts.length < 3 || !/\?\s*$/u.test(text)) return []
  const options = parts.flatMap((part) => {
    const label = part.replace(/[\s?]+$/u, '')
    const key = /^[^\p{Lu}]*(\p{Lu})[^\p{Lu}]*$/u.exec(label)?.[1]
    return key === undefined || label.split(' ').length > 3 ? [] : [{ key, label, isDefault: false }]
  })
  const inside = options.some(({ label }) => /^\p{Ll}/u.test(label))
  return inside && options.length >= parts.length - 1 ? options : []
}

/** `json, yaml or xml?`, `Enter 1, 2 or 3:` */
const enumerated = (text: string): Option[] => {
  const list =
    /(?:^|\s)((?:[\p{L}\d-]{1,12},\s){1,8}[\p{L}\d-]{1,12},?\sor\s[\p{L}\d-]{1,12}|[\p{L}\d-]{1,12},\s[\p{L}\d-]{1,12}\sor\s[\p{L}\d-]{1,12})\s*[?:]*$/iu.exec(
      text,
    )?.[1]
  const pair = /^\p{L}{2,12} or \p{L}{2,12}(?=\s*\?$)/u.exec(text)?.[0]
  return ((list ?? pair)?.split(/,?\sor\s|,\s/u) ?? []).map((word) => ({ key: word, label: word, isDefault: false }))
}

/** `y=yes, n=no, a=all:`, `1 for TCP or 2 for UDP:` */
const equated = (text: string): Option[] =>
  [...text.matchAll(/(?<![^\s([])(\p{Ll}{1,2}|\p{Lu}(?=\s)|[\d?])(?:\s?=\s?|\sfor\s)(\p{L}[\p{L}-]+)/gu)].map(
    ([, key = '', label = '']) => ({
      key,
      label,
      isDefault: false,
    }),
  )

/** `(K: KVM, S: Serial)` */
const colons = (text: string): Option[] => {
  const inner = /\(((?:\p{L}|\d): \p{L}[\p{L} -]*(?:, (?:\p{L}|\d): \p{L}[\p{L} -]*)+)\)/u.exec(text)?.[1]
  return (inner?.split(', ') ?? []).map((part) => ({ key: part.slice(0, 1), label: part.slice(3), isDefault: false }))
}

/** `Express Install [1], Custom Install [2, Enter]` */
const trailed = (text: string): Option[] => {
  const found = [...text.matchAll(/(?:^|, )([^[\],][^[\]]{1,60}?) \[(\w)(, Enter)?\](?=,|$)/giu)]
  const options = found.map(([, label = '', key = '', enter]) => ({ key, label, isDefault: enter !== undefined }))
  return options.length >= 2 ? options : []
}

/** `Overwrite, Append, Don't log, or Quit?` */
const named = (text: string): Option[] => {
  const list = /(?:^|[;:.?] )((?:\p{Lu}[\p{L}'’]*(?: [\p{L}'’]+){0,2}, ){2,8}or \p{Lu}[\p{L}'’]*)\?$/u.exec(text)?.[1]
  return (list?.split(/, (?:or )?/u) ?? []).map((label) => ({ key: label.slice(0, 1), label, isDefault: false }))
}

/** `[ view (return) | skip (Ctrl-D) | quit (Ctrl-C) ]` */
const barred = (text: string): Option[] => {
  const inner = /\[\s([^[\]]+(?:\|[^[\]|]+){2,})\]$/u.exec(text)?.[1]
  return (inner?.split('|') ?? []).map((part) => {
    const [, label = part.trim(), key = label] = /^\s*(.+?) \((\S+)\)\s*$/u.exec(part) ?? []
    return { key, label, isDefault: false }
  })
}

/** `(cd0 disk http or 'done')` */
const blanks = (text: string): Option[] => {
  const inner = /\(([\w-]{1,12}(?: [\w-]{1,12}){1,7} or ['"‘“]?[\w-]{1,12}['"’”]?)\)/u.exec(text)?.[1] ?? ''
  if (inner === '' || /(?<![\p{L}])(?:the|a|an|to|for|of|is|be|use|leave|press|type|enter)(?![\p{L}])/iu.test(inner))
    return []
  const words = inner.split(/ or | /u).map((word) => word.replaceAll(/['"‘’“”]/gu, ''))
  return words.map((word) => ({ key: word, label: word, isDefault: false }))
}

/** `y[es], n[o], v[iew]` */
const opened = (text: string): Option[] => {
  const found = [...text.matchAll(/(?<![\p{L}\])])(\p{L})\[(\p{L}+)\]/gu)]
  const options = found.map(([, key = '', tail = '']) => ({ key, label: key + tail, isDefault: false }))
  return options.length >= 2 ? options : []
}

/** `'f'ile/'d'ir/'s'ym?` */
const quoted = (text: string): Option[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}])['‘](\p{L})['’](\p{L}{2,14})(?=[/,\s?:]|$)/gu)].map(
    ([, key = '', tail = '']) => ({
      key,
      label: key + tail,
      isDefault: false,
    }),
  )

/** `'r' to play red, 'w' to play white` */
const explained = (text: string): Option[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}])['"‘“](\p{L}|\d)['"’”] (?:to|for) ([^,;:?'"‘“]{2,40}?)(?=[,;:?]| or |$)/gu)].map(
    ([, key = '', label = '']) => ({ key, label: label.trim(), isDefault: false }),
  )

/** `Clear<y>?` */
const angled = (text: string): Option[] => {
  const key = /<([yn])>\s*[?:]*\s*$/iu.exec(text)?.[1]
  if (key === undefined) return []
  return ['y', 'n'].map((each) => ({ key: each, label: each, isDefault: each === key.toLowerCase() }))
}

/** Whether the text in brackets lists answers, rather than a default. */
export const namesOptions = (inner: string): boolean => tokens(inner).length >= 2 || run(inner).length >= 2

/** The last line of a list of answers that spans several lines. */
export const continuedOptions = (line: string, text: string): Option[] => {
  if (spaced(text).length > 0) return spaced(`${line}, ${text}`)
  if (closed(text).length > 0) return closed(`${line} ${text}`)
  if (closed(line).length >= 3 && /^(?:action|choice|what)(?![\p{L}])/iu.test(text)) return closed(line)
  if (/^(?:what|which)(?![\p{L}]).*\?$/iu.test(text) && lettered(line).length >= 2) return lettered(line)
  const one = /^[[(]\p{L}{1,2}[\])]\s?\p{L}/u.test(text)
  return one && lettered(line).length >= 2 ? lettered(`${line} ${text}`) : []
}

/** `(primary/secondary) [primary]` */
const withNamedDefault = /\(([\p{L}-]{2,14})\/([\p{L}-]{2,14})\)\s*\[(?:\1|\2)\]/iu

/** The answers that a line of text names itself; empty if none. */
export const inlineOptions = (given: string): Option[] => {
  const text = /^\((?:please )?(?:type|enter) [^()]+\)$/iu.test(given) ? given.slice(1, -1) : given
  const [, one = '', two = ''] = withNamedDefault.exec(text) ?? []
  if (one !== '') return tokens(`${one}|${two}`)
  const letters = lettered(text)
  if (letters.length >= 2) return letters
  if (suffixed(text).length >= 2) return suffixed(text)
  if (opened(text).length >= 2) return opened(text)
  if (trailed(text).length >= 2) return trailed(text)
  for (const { inner } of bracketed(text).toReversed()) {
    const nested = lettered(inner)
    const found = nested.length >= 2 ? nested : [tokens(inner), run(inner)].find((each) => each.length >= 2)
    if (found !== undefined) return found
  }
  return (
    [
      bare(text),
      angled(text),
      quoted(text),
      explained(text),
      closed(text),
      spaced(text),
      capitals(text),
      enumerated(text),
      equated(text),
      colons(text),
      blanks(text),
      named(text),
      barred(text),
    ].find((each) => each.length >= 2) ?? []
  )
}
