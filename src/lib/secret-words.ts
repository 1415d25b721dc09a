/** The replacement for a masked secret. */
export const redacted = '[REDACTED]'

const names = [
  '(?<![a-z])pass(?:phrase|code)?',
  'passw(?:or)?d',
  '(?<![a-z])pwd',
  'secret',
  'token',
  '(?<![a-z])auth',
  '(?:api|access|secret|private|account|auth)[_-]?key',
  'credentials?',
]
const secretName = `(?:${names.join('|')})`
/** Blanks, quotes and shell operators end a secret, so that a mask never hides anything that could be run. */
const inert = '(?:(?!\\$[({])[^\\s\'"`;&|<>()\\\\])'
const near = '(?:[^\\n;&|]{0,400}\\s)?'
const begins = '(?:^|[\\s/;&|(`\'"])'

/** Inside quotes a secret may contain blanks. */
const inQuotes = `(?<=')(?:${inert}| ){1,500}(?=')|(?<=")(?:${inert}| ){1,500}(?=")`
const named = `${inQuotes}|${inert}{3,}`

/** Each matches the text before a secret, and the secret. All repetitions but the last are bounded, so it is linear. */
const shapes: readonly RegExp[] = [
  new RegExp(`((?<![\\w.-])[\\w.-]{0,60}?${secretName}["']?\\s{0,2}[=:]\\s{0,2}["']?)(${named})`, 'gi'),
  new RegExp(`((?<![\\w-])--?(?:[a-z]{1,20}-){0,3}${secretName}(?:=|\\s{1,4})["']?)(?!-)(${named})`, 'gi'),
  new RegExp(`(authorization["']?\\s{0,2}[:=]\\s{0,2}["']?(?:[a-z]{1,12}\\s{1,2})?)(${inert}{6,})`, 'gi'),
  new RegExp(`(cookie["']?\\s{0,2}:\\s{0,2})(${inert}{3,})`, 'gi'),
  /(\b(?:bearer|basic)\s{1,2})([\w+/=.~-]{8,})/gi,
  /(:\/\/[^\s:/@'"]{0,64}:)([^\s/@'"]{1,256})(?=@)/g,
  /()(\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b)/g,
  /()(\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|xapp-|npm_|pypi-|hf_|sk-|[sr]k_(?:live|test)_|dop_v1_|AIza|ya29\.|hvs\.|shpat_|tskey-|dckr_pat_|ATATT3)[\w.=-]{10,})/g,
  /()(\beyJ[\w-]{8,1000}\.[\w-]{8,}(?:\.[\w-]*)?)/g,
  new RegExp(`(${begins}(?:mysql\\w{0,12}|mariadb[\\w-]{0,12}|sshpass)\\s${near}-p)(?!\\s)(${inert}{2,})`, 'g'),
  new RegExp(`(${begins}sshpass\\s${near}-p\\s{1,2})(${inert}{2,})`, 'g'),
  new RegExp(`(${begins}(?:curl|wget|https?)\\s${near}(?:-u\\s?|--user[= ])["']?[^\\s:'"]{0,100}:)(${inert}+)`, 'g'),
  new RegExp(`(${begins}redis-cli\\s${near}(?:-a|--pass)\\s{1,2})(${inert}{2,})`, 'g'),
  new RegExp(`(${begins}openssl\\s${near}(?:-[kK]\\s{1,2}|-pass(?:in|out|word)?[ =]pass:))(${inert}{2,})`, 'g'),
  new RegExp(
    `(${begins}htpasswd\\s${near}-[A-Za-z]*b[A-Za-z]*\\s(?:\\S{1,400}\\s{1,2}){1,4})(${inert}{2,})(?=\\s*(?:$|[\\n;&|]))`,
    'gm',
  ),
]

const longest = 64 * 1024

/** A line or a script with apparent secrets masked. Very long text is masked in pieces. */
export function maskSecretsInLine(text: string): string {
  if (text.length > longest)
    return Array.from({ length: Math.ceil(text.length / longest) }, (_, at) =>
      maskSecretsInLine(text.slice(at * longest, (at + 1) * longest)),
    ).join('')
  return shapes.reduce(masked, text)
}

const masked = (text: string, look: RegExp): string =>
  text.replace(look, (whole, before: string, secret: string) =>
    secret.startsWith(redacted) ? whole : `${before}${redacted}`,
  )

const flag = new RegExp(`^--?(?:[a-z]{1,20}-){0,3}${secretName}$`, 'i')
/** Programs whose short options take a password, and those options. */
const shortOptions: readonly [program: RegExp, option: RegExp, part: RegExp][] = [
  [/(?:^|\/)(?:mysql\w*|mariadb[\w-]*)$/, /^(-p)(?=.)/, /^()(.+)$/s],
  [/(?:^|\/)sshpass$/, /^(-p)/, /^()(.+)$/s],
  [/(?:^|\/)(?:curl|wget|https?)$/, /^(-u|--user=?)/, /^([^:]{0,200}:)(.+)$/s],
  [/(?:^|\/)redis-cli$/, /^(-a)$/, /^()(.+)$/s],
  [/^login$/, /^(-p)$/, /^()(.+)$/s],
]

/** `all`: also masks values with shell syntax. For commands stored after they started, when nobody has to judge them. */
type How = { readonly all?: boolean }

/** The words of a command with apparent secrets masked. */
export function maskSecretWords(words: readonly string[], { all = false }: How = {}): string[] {
  const hide = (word: string): string => (all || isInert(word) ? redacted : maskSecretsInLine(word))
  const seen = new Set<RegExp>()
  return words.map((word, index) => {
    const before = words[index - 1] ?? ''
    if (index > 0 && before.length < 4096)
      for (const [program] of shortOptions) if (program.test(before)) seen.add(program)
    if (index > 0 && flag.test(before) && word !== '') return hide(word)
    for (const [program, option, part] of shortOptions) {
      if (!seen.has(program)) continue
      const joined = option.exec(word)?.[1]
      const value = joined !== undefined && joined.length < word.length ? word.slice(joined.length) : null
      if (value !== null) return `${joined}${hidePart(value, part, hide)}`
      if (option.exec(before)?.[1] === before) return hidePart(word, part, hide)
    }
    const assigned = /^([^=\s]{1,200}=)(.+)$/s.exec(word)
    if (assigned && (all || isInert(assigned[2] ?? '')) && flagOrVariable.test(assigned[1] ?? ''))
      return `${assigned[1]}${hide(assigned[2] ?? '')}`
    return maskSecretsInLine(word)
  })
}

const flagOrVariable = new RegExp(`${secretName}=$`, 'i')
const wholeInert = new RegExp(`^${inert}*$`)
const isInert = (word: string): boolean => word.length < longest && wholeInert.test(word)

function hidePart(value: string, part: RegExp, hide: (word: string) => string): string {
  const found = part.exec(value)
  return found ? `${found[1] ?? ''}${hide(found[2] ?? '')}` : value
}
