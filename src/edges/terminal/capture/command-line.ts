import { sequenceEnd } from './escapes.ts'

/**
 * Masks passwords that command lines carry in a short option, while they are typed, recalled or printed. Every byte is
 * decided at once from its line, so nothing is held; the length stays the same.
 */
export type CommandLineMasker = {
  /** The part of the line that was shown before the first `push`. */
  resume(line: Buffer): void
  push(bytes: Buffer): Buffer
}

/** Which part of a word is secret. Null: none; otherwise the index at which it begins. */
type Part = (word: string, before: string, seen: Seen) => number | null
/** What the words after the program's name said so far. */
type Seen = { readonly words: readonly string[] }

const joined = (option: string): Part => {
  return (word) => (word.startsWith(option) && word.length > option.length ? option.length : null)
}
const separate =
  (...options: string[]): Part =>
  (word, before) =>
    options.includes(before) && word !== '' ? 0 : null
/** After a sign in the value: `user:password`. */
const after =
  (sign: string, ...options: string[]): Part =>
  (word, before) => {
    const option = options.includes(before) ? '' : options.find((one) => word.startsWith(one))
    if (option === undefined) return null
    const at = word.indexOf(sign, option.length)
    return at < 0 ? null : at + sign.length
  }
/** Only the first such option is the program's own: `sshpass -p secret ssh -p 22`. */
const firstOf =
  (...parts: Part[]): Part =>
  (word, before, seen) => {
    const isOver = seen.words.some((one, at) => !one.startsWith('-') && seen.words[at - 1] !== '-p')
    return isOver ? null : anyOf(...parts)(word, before, seen)
  }
const anyOf =
  (...parts: Part[]): Part =>
  (word, before, seen) => {
    for (const part of parts) {
      const at = part(word, before, seen)
      if (at !== null) return at
    }
    return null
  }

/** `htpasswd -b file user password`, `htpasswd -nb user password`. */
const htpasswd: Part = (word, before, { words }) => {
  const options = words.filter((one) => /^-[a-zA-Z0-9]+$/.test(one))
  if (word.startsWith('-') || !options.some((one) => one.includes('b'))) return null
  const others = words.filter((one, at) => !one.startsWith('-') && words[at - 1] !== '-C')
  const first = options.some((one) => one.includes('n')) ? 1 : 2
  return others.length >= first && before !== '-C' ? 0 : null
}

const login: Part = (word, before, seen) =>
  seen.words.includes('login') ? anyOf(separate('-p'), joined('-p'))(word, before, seen) : null

const programs: readonly [name: RegExp, part: Part][] = [
  [/^(?:mysql|mariadb)[a-z-]*$/, joined('-p')],
  [/^sshpass$/, firstOf(separate('-p'), joined('-p'))],
  [/^(?:curl|wget)$/, after(':', '-u', '-U', '--user', '--proxy-user')],
  [/^https?$/, after(':', '-a', '--auth')],
  [/^redis-cli$/, separate('-a', '--pass')],
  [/^openssl$/, anyOf(separate('-k', '-K'), after('pass:', '-pass', '-passin', '-passout', '-password'))],
  [/^htpasswd$/, htpasswd],
  [/^ldap[a-z]+$/, anyOf(separate('-w'), joined('-w'))],
  [/^(?:mongo|mongosh|mongodump|mongorestore)$/, anyOf(separate('-p'), joined('-p'))],
  [/^(?:zip|unzip)$/, anyOf(separate('-P'), joined('-P'))],
  [/^(?:7z|7za|7zr|rar|unrar)$/, joined('-p')],
  [/^keytool$/, separate('-storepass', '-keypass', '-srcstorepass', '-deststorepass')],
  [/^smbclient$/, after('%', '-U', '--user')],
  [/^lftp$/, after(',', '-u')],
  [/^(?:docker|podman)$/, login],
]

const names =
  /mysql|mariadb|sshpass|curl|wget|https?[ \t]|redis-cli|openssl|htpasswd|ldap|mongo|zip|7z|rar[ \t]|keytool|smbclient|lftp|docker|podman/

/** A longer line was not typed by a person. */
const longest = 4096
const star = 0x2a
const space = 0x20
const nothing: Buffer = Buffer.alloc(0)

export function createCommandLineMasker(): CommandLineMasker {
  /** The shown line so far, masked, with its escape sequences. */
  let tail = nothing

  function push(bytes: Buffer): Buffer {
    const all = tail.length > 0 ? Buffer.concat([tail, bytes]) : bytes
    const out = names.test(all.toString('latin1')) ? masked(all, tail.length) : all
    const start = out.lastIndexOf(10) + 1
    tail = out.length - start > longest ? nothing : Buffer.from(out.subarray(start))
    return out === all && all === bytes ? bytes : out.subarray(out.length - bytes.length)
  }

  return {
    resume: (line) => void (tail = Buffer.from(line)),
    push,
  }
}

/** A copy whose secrets from `from` on are stars. */
function masked(bytes: Buffer, from: number): Buffer {
  const out = Buffer.from(bytes)
  for (let start = 0; start < out.length;) {
    const next = out.indexOf(10, start) + 1
    const end = next === 0 ? out.length : next
    if (names.test(out.toString('latin1', start, end))) maskLine(out, start, end, from)
    start = end
  }
  return out
}

function maskLine(out: Buffer, start: number, stop: number, from: number): void {
  const line = createLine()
  for (let at = start; at < stop;) {
    const byte = out[at] ?? 0
    if (byte === 0x1b) {
      const end = Math.min(stop, sequenceEnd(out, at))
      if (out[at + 1] === 0x5b) line.move(out.toString('latin1', at + 2, end - 1), out[end - 1] ?? 0)
      at = end
      continue
    }
    if (byte < space) line.control(byte)
    else if (line.put(byte) && at >= from) out[at] = star
    at += 1
  }
}

/** One line, and which part of it is a secret. */
function createLine() {
  let cells: number[] = []
  let column = 0
  let words = createWords()
  /** How many cells `words` has read. */
  let read = 0

  function rewind(to: number): void {
    column = Math.max(0, to)
    if (column >= read) return
    words = createWords()
    read = 0
  }

  return {
    /** True if this character belongs to a secret. */
    put(byte: number): boolean {
      if (column >= longest) return false
      while (cells.length < column) cells.push(space)
      cells[column] = byte
      for (; read < column; read += 1) words.next(cells[read] ?? space)
      column += 1
      read = column
      return words.next(byte)
    },
    control(byte: number): void {
      if (byte === 8) rewind(column - 1)
      else if (byte === 9) column += 1
      else if (byte === 13) {
        // An editor wrapped its line: it printed a blank and returned to the start of the next row.
        if (cells.at(-1) === space && column === cells.length && words.wasSecret()) {
          cells.pop()
          rewind(column - 1)
        } else rewind(0)
      }
    },
    move(parameters: string, final: number): void {
      const count = Math.max(1, Number(parameters) || 1)
      if (final === 0x44) rewind(column - count)
      else if (final === 0x43) column = Math.min(longest, column + count)
      else if (final === 0x47) rewind(count - 1)
      else if (final === 0x4b && (parameters === '' || parameters === '0')) cells = cells.slice(0, column)
      else if (final === 0x50) cells.splice(column, count)
      else if (final === 0x40) cells.splice(column, 0, ...Array.from({ length: Math.min(count, longest) }, () => space))
    },
  }
}

/** Reads a line byte by byte, as a shell splits it into words. */
function createWords() {
  let part: Part | null = null
  let words: string[] = []
  let word = ''
  let quote = ''
  let secret = false
  let before = false

  function end(): void {
    if (word === '') return
    const name = word.slice(word.lastIndexOf('/') + 1)
    const found = programs.find(([pattern]) => pattern.test(name))
    if (found && part === null) {
      part = found[1]
      words = []
    } else if (part) words.push(word)
    word = ''
  }

  function read(byte: number): boolean {
    const letter = String.fromCharCode(byte)
    if (quote !== '') {
      if (letter !== quote) return add(letter)
      quote = ''
      return false
    }
    if ((letter === '"' || letter === "'") && (word === '' || /[=:,%pPwu]$/.test(word))) {
      quote = letter
      return false
    }
    if (letter === ' ') {
      end()
      return false
    }
    if (letter === ';' || letter === '|' || letter === '&') {
      end()
      part = null
      return false
    }
    return add(letter)
  }

  function add(letter: string): boolean {
    word += letter
    if (part === null || word.length > longest) return false
    const from = part(word, words.at(-1) ?? '', { words })
    return from !== null && word.length > from
  }

  return {
    next(byte: number): boolean {
      before = secret
      secret = read(byte)
      return secret
    },
    /** Whether the character before the last one was secret. */
    wasSecret: () => before,
  }
}
