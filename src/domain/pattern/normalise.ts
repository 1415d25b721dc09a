/**
 * A prompt as it is compared with others: varying parts are masked, every word stays. If in doubt, text is left as it is:
 * splitting one question only costs a pattern, merging two questions costs a wrong answer.
 */
export function normalisePrompt(text: string): string {
  let found = text.normalize('NFC').replaceAll(escapes, '').replaceAll(unseen, ' ')
  for (const [pattern, mask] of masks)
    found = typeof mask === 'string' ? found.replaceAll(pattern, mask) : found.replaceAll(pattern, mask)
  return found.replaceAll(/\s+/g, ' ').trim()
}

/** The name of a program, without its path or how it was called. */
export const normaliseProgram = (program: string): string =>
  (program.normalize('NFC').trim().split(/[\\/]/).at(-1) ?? '').replace(/^-/, '').replace(/\.exe$/i, '')

export const normaliseHost = (host: string): string => host.trim().toLowerCase().replace(/^.*@/, '').replace(/\.$/, '')

// oxlint-disable-next-line no-control-regex -- escape sequences begin with one
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g
const unseen = /[\p{Cc}\p{Cf}]/gu

const month = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?'
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?:\s?[ap]m\b)?(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![\w]))?`
// Letters attached to a number make it part of a name: python3, sda1. In scripts without spaces they do not.
const begins = String.raw`(?<![\p{Script=Latin}\p{N}_])`

type Replacement = string | ((found: string, ...rest: string[]) => string)

const masks: readonly (readonly [RegExp, Replacement])[] = [
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"`<>)\]]+/gi, (found) => `<url>${endOf(found)}`],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b(?:SHA(?:1|224|256|384|512)|MD5):[\w+/=:-]{16,}/gi, '<hash>'],
  [/(?<![\w:])(?:[0-9a-f]{2}:){5,}[0-9a-f]{2}(?![\w:])/gi, '<hash>'],
  [new RegExp(String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${clock})?`, 'g'), '<date>'],
  [/\b\d{1,4}[/.]\d{1,2}[/.]\d{4}\b/g, '<date>'],
  [new RegExp(String.raw`\b(?:\d{1,2}\.? ${month},? \d{4}|${month} \d{1,2}(?:,? \d{4})?)\b`, 'gi'), '<date>'],
  [new RegExp(String.raw`(?<![\w:.])${clock}(?![\w:])`, 'gi'), '<time>'],
  [
    /(?<![\w.+-])[\w.+-]{1,64}@(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,252}[\p{L}\p{N}])?)/giu,
    '<user>@<host>',
  ],
  [/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?:\/\d{1,2})?(?![\w.]*\d)/g, '<host>'],
  [/(?<![\w:])[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:%\w+)?(?![\w:])/gi, (found) => (isIp6(found) ? '<host>' : found)],
  [
    new RegExp(String.raw`${begins}\d[\d.,]{0,30}(?: ?(?:[kmgtp]i?b|bytes?)|[kmgtp])(?![\p{L}\p{N}_])`, 'giu'),
    '<size>',
  ],
  // Host names: three labels or more, with one of the few endings that nothing else has, or if it says that it is one.
  [/(?<![\w./@-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){2,}[a-z]{2,}(?![\w/-]|\.\w)/g, '<host>'],
  [/(?<![\w./@-])[a-z0-9][a-z0-9-]*\.(?:com|org|edu|gov|local|lan|internal|localdomain)(?![\w/.-])/g, '<host>'],
  [/\b(host(?:name)?) (['"‘’“”`])[^\s'"‘’“”`]+/gi, (_found, word, quote) => `${word} ${quote}<host>`],
  [/(['"`])(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?![\\/])[^'"`]*\1/g, (_found, quote) => `${quote}<path>${quote}`],
  [/(?<![\w.])[A-Za-z]:\\[^\s'"`?*<>|]*/g, (found) => `<path>${endOf(found)}`],
  [/(?<![\p{L}\p{N}_./)\]'"}>~-])(?:~\w*|\.{1,2})?\/[^\s'"`?!:;,()[\]<>|]+/gu, (found) => `<path>${endOf(found)}`],
  [/(?<![\p{L}\p{N}_./)\]'"}>~-])~\/(?=[\s'"`?!:;,)\]]|$)/gu, '<path>'],
  // With a slash and an ending; `yes/no/all` has none.
  [/(?<![\w./@-])[\w@+-][\w.@+-]*(?:\/[\w.@+-]+)*\/[\w@+-]*(?:\.\w{1,8})+(?![\w/])/g, '<path>'],
  [/[\w-]{7,}/g, (found) => (isHash(found) ? '<hash>' : found)],
  [/(?<![\w.])v?\d+\.\d+\.\d+(?:[\w.+~-]*\w)?/gi, '<version>'],
  [/(?<![\w.-])v\d+(?:\.\d+)?(?![\w.]*\w)/gi, '<version>'],
  // Ranges and lists that can be chosen from are part of the question; `(3/7)` is how far it got.
  [
    new RegExp(String.raw`[[(]\d+(?:(?: ?[-–] ?|, ?)\d+|/\d+/\d+)+(?:/\d+)*[\])]|${begins}\d+(?:[.,:]\d+)*`, 'gu'),
    (found) => (/^\d/.test(found) ? '<n>' : found),
  ],
]

/** The full stop of a sentence is not part of the word before it. */
const endOf = (found: string): string => /[.,:;!?]*$/.exec(found)?.[0] ?? ''

const isIp6 = (text: string): boolean => /\d/.test(text) && (text.includes('::') || text.split(':').length === 8)

/** Generated digits: of a commit or a digest, or long and mixed. */
function isHash(text: string): boolean {
  if (/^(?:[0-9a-f]{7,}|[0-9A-F]{16,})$/.test(text)) return /\d/.test(text) && /[a-f]/i.test(text)
  return text.length >= 24 && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text)
}
