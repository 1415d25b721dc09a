// The options of ssh that take a value, in the same word or in the next.
const takesValue = /(?<!^)[BbcDEeFIiJLlmOoPpQRSWw]/

export type Destination = { host: string; user: string | undefined }

/** Host and user of an ssh command line, as written; null if it names no host. */
export function destinationOf(words: readonly string[]): Destination | null {
  let login: string | undefined
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!word.startsWith('-') || word === '-') return { ...written(word), ...(login !== undefined && { user: login }) }
    if (word === '--') continue
    const at = word.search(takesValue)
    if (at === -1) continue
    const value = word.slice(at + 1) || left.shift()
    if (word[at] === 'l') login = value
    if (word[at] === 'o') login ??= /^user[= ]\s*(\S+)$/i.exec(value ?? '')?.[1]
  }
  return null
}

/** `user@host` or `ssh://user@host:port`; a user name may contain an @. */
function written(word: string): Destination {
  const isAddress = word.startsWith('ssh://')
  const whole = isAddress ? word.slice('ssh://'.length).replace(/\/$/, '') : word
  const at = whole.lastIndexOf('@')
  const host = whole.slice(at + 1)
  return {
    host: isAddress ? host.replace(/:\d+$/, '') : host,
    user: at === -1 ? undefined : whole.slice(0, at),
  }
}
