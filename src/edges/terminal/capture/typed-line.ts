import { sequenceEnd } from './escapes.ts'
import { shortestSecret } from './taint.ts'

/** What is being typed at a secret prompt, to recognise its echo. In memory only, until the line is entered. */
export type TypedLine = {
  /** `shown`: it was echoed already. */
  typed(keys: Uint8Array, shown?: boolean): void
  /** True if this is the next character of an echo. */
  echo(byte: number): boolean
  /** True if this is the character typed last. */
  isLast(byte: number): boolean
  /** A bullet was shown in place of the next character. */
  hidden(): void
  /** The echo starts again. */
  again(): void
  /** The line is over on the screen too. */
  entered(): void
  /** Whether typed text begins here: all of it, or as much as is visible (`isOpen`). */
  find(plain: readonly number[], at: number): { length: number; isOpen: boolean }
  text(): number[]
  forget(): void
}

const longest = 1024
const escape = 0x1b

type Line = { text: number[]; echoed: number }

export function createTypedLine(whenEntered: (line: number[]) => void): TypedLine {
  let line: Line = { text: [], echoed: 0 }
  /** Where the next key goes. */
  let cursor = 0
  /** Entered, but the screen has not gone to the next line yet. */
  let ahead: Line[] = []

  function cut(from: number, to: number): void {
    line.text.splice(from, to - from).fill(0)
    cursor = from
    line.echoed = Math.min(line.echoed, from)
  }

  function key(byte: number): void {
    const { text } = line
    if (byte === 13 || byte === 10) {
      whenEntered([...text])
      ahead.push(line)
      line = { text: [], echoed: 0 }
      cursor = 0
    } else if (byte === 0x7f || byte === 8) cut(leftOf(text, cursor), cursor)
    else if (byte === 0x15 || byte === 3) {
      // Given up; but it was typed.
      if (text.length >= shortestSecret) whenEntered([...text])
      cut(0, text.length)
    } else if (byte === 0x17) cut(text.lastIndexOf(0x20, cursor - 2) + 1, cursor)
    else if (byte === 0x0b) cut(cursor, text.length)
    else if (byte === 1) cursor = 0
    else if (byte === 5) cursor = text.length
    else if (byte === 2) cursor = leftOf(text, cursor)
    else if (byte === 6) cursor = rightOf(text, cursor)
    else if (byte >= 0x20 && text.length < longest) {
      text.splice(cursor, 0, byte)
      cursor += 1
    }
  }

  function sequence(name: string): void {
    const { text } = line
    if (name === '[D' || name === 'OD') cursor = leftOf(text, cursor)
    else if (name === '[C' || name === 'OC') cursor = rightOf(text, cursor)
    else if (name === '[H' || name === 'OH' || name === '[1~') cursor = 0
    else if (name === '[F' || name === 'OF' || name === '[4~') cursor = text.length
    else if (name === '[3~' && cursor < text.length) cut(cursor, rightOf(text, cursor))
  }

  const first = (): Line => ahead[0] ?? line

  return {
    typed(keys, shown = false) {
      for (let at = 0; at < keys.length;) {
        const byte = keys[at] ?? 0
        if (byte === escape) {
          const end = Math.min(keys.length, keys[at + 1] === 0x4f ? at + 3 : sequenceEnd(keys, at))
          sequence(Buffer.from(keys.subarray(at + 1, end)).toString('latin1'))
          at = end
        } else {
          key(byte)
          at += 1
        }
      }
      if (shown) line.echoed = line.text.length
    },
    echo(byte) {
      const found = [...ahead, line].findIndex(({ text, echoed }) => text[echoed] === byte)
      if (found < 0) return false
      // A program that prints no line end after one line has gone on to the next.
      if (found > 0 && first().echoed < first().text.length) return false
      ahead.splice(0, found)
      first().echoed += 1
      return true
    },
    isLast(byte) {
      const known = first()
      const at = leftOf(known.text, known.text.length)
      if (known.text.length === 0 || known.text[at] !== byte) return false
      known.echoed = at + 1
      return true
    },
    hidden() {
      const known = first()
      known.echoed = rightOf(known.text, known.echoed)
    },
    again() {
      first().echoed = 0
    },
    entered() {
      ahead.shift()?.text.fill(0)
    },
    find(plain, at) {
      const { text } = line
      if (text.length < shortestSecret) return { length: 0, isOpen: false }
      let length = 0
      while (length < text.length && plain[at + length] === text[length]) length += 1
      if (length >= shortestSecret) return { length, isOpen: false }
      const isOpen = length > 0 && at + length >= plain.length
      return { length: isOpen ? length : 0, isOpen }
    },
    text: () => [...line.text],
    forget() {
      for (const { text } of [...ahead, line]) text.fill(0)
      line = { text: [], echoed: 0 }
      cursor = 0
      ahead = []
    },
  }
}

const isInside = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80

/** The beginning of the character before a position, in UTF-8. */
function leftOf(text: readonly number[], from: number): number {
  let at = from - 1
  while (at > 0 && isInside(text[at])) at -= 1
  return Math.max(0, at)
}

function rightOf(text: readonly number[], from: number): number {
  let at = from + 1
  while (isInside(text[at])) at += 1
  return Math.min(text.length, at)
}

/** Bytes since the last line end, without escape sequences: arrow keys, paste marks and colours are not text. */
export function plainOf(bytes: Uint8Array): number[] {
  let plain: number[] = []
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0
    if (byte === escape) at = Math.min(bytes.length, sequenceEnd(bytes, at))
    else {
      if (byte === 13 || byte === 10) plain = []
      else plain.push(byte)
      at += 1
    }
  }
  return plain
}
