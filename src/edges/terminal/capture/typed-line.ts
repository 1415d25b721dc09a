import { sequenceEnd } from './escapes.ts'

/** What was typed at a secret prompt, to recognise its echo. In memory only. */
export type TypedLine = {
  typed(keys: Uint8Array): void
  /** True if this is the next character of an echo. */
  echo(byte: number): boolean
  /** The echo starts again. */
  again(): void
  /** The line is over on the screen too. */
  entered(): void
  /** Whether typed text begins here: all of it, or as much as is visible (`isOpen`). */
  find(plain: readonly number[], at: number): { length: number; isOpen: boolean }
  forget(): void
}

/** Shorter text may occur anywhere: it is hidden only where an echo is expected. */
const shortest = 4
const longest = 1024
const remembered = 4

export function createTypedLine(): TypedLine {
  /** The line after editing, and how much of it was echoed. */
  let line: number[] = []
  let echoed = 0
  /** Text typed before Enter that is not echoed yet, and lines entered before. */
  let ahead: number[] = []
  let lines: number[][] = []

  function key(byte: number): void {
    if (byte === 13 || byte === 10) {
      if (line.length >= shortest) lines = [...lines.slice(1 - remembered), line]
      ahead = [...ahead, ...line.slice(echoed)]
      line = []
      echoed = 0
    } else if (byte === 0x7f || byte === 8) {
      line.pop()
      echoed = Math.min(echoed, line.length)
    } else if (byte === 0x15 || byte === 3) {
      line = []
      echoed = 0
    } else if (byte >= 0x20 && line.length < longest) line.push(byte)
  }

  return {
    typed(keys) {
      for (const byte of plainOf(keys, false)) key(byte)
    },
    echo(byte) {
      if (ahead.length > 0) {
        if (ahead[0] !== byte) return false
        ahead.shift()
        return true
      }
      if (line[echoed] !== byte) return false
      echoed += 1
      return true
    },
    again() {
      echoed = 0
    },
    entered() {
      ahead = []
    },
    find(plain, at) {
      let open = 0
      for (const known of line.length >= shortest ? [...lines, line] : lines) {
        let length = 0
        while (length < known.length && plain[at + length] === known[length]) length += 1
        if (length === known.length || (known === line && length >= shortest)) return { length, isOpen: false }
        if (at + length >= plain.length) open = Math.max(open, length)
      }
      return { length: open, isOpen: open > 0 }
    },
    forget() {
      line = []
      echoed = 0
      ahead = []
      lines = []
    },
  }
}

/** Bytes without escape sequences: arrow keys, paste marks and colours are not text. */
export function plainOf(bytes: Uint8Array, sinceReturn = true): number[] {
  let plain: number[] = []
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0
    if (byte === 0x1b) at = Math.min(bytes.length, sequenceEnd(bytes, at))
    else {
      if (sinceReturn && (byte === 13 || byte === 10)) plain = []
      else plain.push(byte)
      at += 1
    }
  }
  return plain
}
