/**
 * What counts as text. Kept in one place, because these rules decide what a reviewer sees.
 * Text is two plain words or more; a single capitalized word counts only where a label is expected.
 */
export function isText(text: string): boolean {
  if (isSql(text) || isWordList(text) || isClassList(text) || isMarkup(text)) return false
  return text.split(/\s+/).filter((part) => plainWord.test(part)).length >= 2
}

/** A label of one word: "Reload", "Cancel…". */
export function isLabel(text: string): boolean {
  return /^[A-Z][a-z]+[….]?$/.test(text)
}

const plainWord = /^['"“(‘]*[A-Za-z][a-z]*(?:['’-][a-z]+)*[)'"”’.,:;!?…]*$/

const sqlStart =
  /^\(*(?:select|insert into|update|delete from|create|alter|drop|pragma|with|vacuum|set local|on conflict|order by|group by|where|left join|join|exists|not exists|case when)\b/i
const sqlMark = /[=_*]|\bin \(|\w\.\w|\b(?:table|index|trigger|null)\b/
const sqlPart = /\b(?:is not null|is null|interval '|at time zone)\b|^[\w.]+ as \w+$/

function isSql(text: string): boolean {
  return (sqlStart.test(text) && sqlMark.test(text) && !/(?<! )[.?!]$/.test(text)) || sqlPart.test(text)
}

/** A list for `split(' ')`: programs, keys, flags. Sentences have a small word, a capital or a punctuation mark. */
function isWordList(text: string): boolean {
  const words = text.split(/\s+/)
  const bare = /^[a-z0-9\s_.;/-]+$/.test(text)
  return (
    (words.length > 30 && !/[.,:;!?]/.test(text)) ||
    (bare && words.length >= 3 && !words.some((word) => small.has(word)))
  )
}

const small = new Set(
  `a an the it its is are was were be been not no and or of to in on at by for from with as that this which who what
  when how than has have had can can't may must will would you your they them their his her all any each every none
  one two only also then there here after before until while since if but so out up over more most less some other
  another same own per used now still again already never ended lost kept made new named`.split(/\s+/),
)

/** Classes of the style sheet: half of the words have a dash, a colon or a bracket. */
function isClassList(text: string): boolean {
  const parts = text.split(/\s+/)
  const classes = parts.filter((part) => /^-?[a-z][\w/:[\]().%&>=*,'"#!-]*$/.test(part) && /[-:[\]]/.test(part))
  return parts.length > 1 && classes.length >= parts.length / 2 && !/[.?!:]$/.test(text)
}

/** Style sheets, font stacks, media queries, page policies and HTTP. */
function isMarkup(text: string): boolean {
  return /^(?::root |img-src |<!doctype|HTTP\/|\([a-z-]+: |ui-monospace)/.test(text)
}
