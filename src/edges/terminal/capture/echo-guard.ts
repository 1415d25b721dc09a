import { sequenceEnd } from './escapes.ts'

/**
 * Masks the echo of input at a secret prompt, by the program or the terminal. There are three kinds:
 * character by character at the cursor; the line redrawn, with or without its prompt; and the typed text
 * somewhere in later output. Bullets are not a secret and stay; so does the prompt.
 */
export type EchoGuard = {
  readonly isOn: boolean
  readonly held: number
  /** Keys as typed, and what was on the line before the first. Call it before the output that follows. */
  typed(keys: Uint8Array, line: Uint8Array): void
  /** The prompt has ended: the entered text is still searched for in a limited amount of output. */
  over(): void
  push(bytes: Buffer): Buffer
  flush(): Buffer
}

const star = 0x2a
const escape = 0x1b
/** How much output is searched for the entered text after the last key. */
const lookFor = 64 * 1024
const nothing: Buffer = Buffer.alloc(0)

export function createEchoGuard(): EchoGuard {
  const line = createTypedLine()
  let prompt: readonly number[] = []
  /** How much of the prompt was printed since the cursor moved back; null: it did not. */
  let redrawn: number | null = null
  let left = 0
  let isOpen = false
  let held = nothing

  /** Part of the prompt, printed again. */
  function isPrompt(byte: number): boolean {
    if (redrawn === null || prompt[redrawn] !== byte) return false
    redrawn += 1
    if (redrawn === prompt.length) {
      line.again()
      redrawn = null
    }
    return true
  }

  function isEcho(byte: number): boolean {
    const isBack = redrawn !== null
    redrawn = null
    if (line.echo(byte)) return true
    if (isBack) line.again()
    return isBack && line.echo(byte)
  }

  function control(byte: number): void {
    if (byte === 10) {
      line.entered()
      prompt = []
      redrawn = null
    } else if (byte === 13 || byte === 8) redrawn = byte === 13 ? 0 : redrawn
  }

  /** Masks one piece of what follows; returns its length in characters, or null if more must come first. */
  function hideAt(plain: readonly number[], at: number, late: boolean): number | null {
    const byte = plain[at] ?? 0
    if (isOpen && isPrompt(byte)) return 0
    const text = line.find(plain, at)
    if (text.length > 0 && !text.isOpen) {
      for (let step = 0; step < text.length; step++) line.echo(plain[at + step] ?? 0)
      return text.length
    }
    if (isOpen && isEcho(byte)) return 1
    return text.isOpen && !late ? null : 0
  }

  function run(bytes: Buffer, late: boolean): Buffer {
    const out = Buffer.from(bytes)
    const places: number[] = []
    const moves = new Set<number>()
    for (let at = 0; at < out.length;) {
      if (out[at] === escape) {
        const end = Math.min(out.length, sequenceEnd(out, at))
        if (out[at + 1] === 0x5b && out[end - 1] !== 0x6d) moves.add(places.length)
        at = end
      } else places.push(at++)
    }
    const plain = places.map((at) => bytes[at] ?? 0)
    let cut = out.length
    for (let at = 0; at < plain.length; at++) {
      const byte = plain[at] ?? 0
      if (moves.has(at)) redrawn ??= 0
      if (byte < 0x20) {
        control(byte)
        continue
      }
      const hidden = hideAt(plain, at, late)
      if (hidden === null) {
        cut = places[at] ?? 0
        break
      }
      for (let step = 0; step < hidden; step++) out[places[at + step] ?? 0] = star
      if (hidden > 1) at += hidden - 1
    }
    held = cut < out.length ? Buffer.from(bytes.subarray(cut)) : nothing
    left -= cut
    if (left <= 0 && !isOpen) line.forget()
    return out.subarray(0, cut)
  }

  return {
    get isOn() {
      return isOpen || left > 0
    },
    get held() {
      return held.length
    },
    typed(keys, before) {
      if (!isOpen) prompt = plainOf(before)
      isOpen = true
      left = lookFor
      line.typed(keys)
    },
    over() {
      isOpen = false
      line.entered()
    },
    push: (bytes) => run(held.length > 0 ? Buffer.concat([held, bytes]) : bytes, false),
    flush: () => (held.length > 0 ? run(held, true) : nothing),
  }
}

/** What was typed at a secret prompt, to recognise its echo. In memory only. */
type TypedLine = {
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

function createTypedLine(): TypedLine {
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
function plainOf(bytes: Uint8Array, sinceReturn = true): number[] {
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
