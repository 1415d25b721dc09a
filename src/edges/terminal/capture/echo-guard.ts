import { sequenceEnd } from './escapes.ts'
import type { Taint } from './taint.ts'
import { createTypedLine, plainOf } from './typed-line.ts'

/**
 * Masks the echo of input at a secret prompt, by the program or the terminal. There are three kinds:
 * character by character at the cursor; the line redrawn, with or without its prompt; and the typed text
 * somewhere in later output. Bullets are not a secret and stay; so does the prompt. Each line, once entered or
 * given up, is handed to the taint, which knows it until the terminal ends.
 */
export type EchoGuard = {
  readonly isOn: boolean
  readonly held: number
  /** Keys as typed, and what was on the line before the first. Call it before the output that follows. */
  typed(keys: Uint8Array, line: Uint8Array, how: Guarding): void
  /** The prompt has ended. */
  over(): void
  push(bytes: Buffer): Buffer
  flush(): Buffer
}

export type Guarding = {
  /** False: nobody knows yet what is asked; if it turns out to be harmless, it is forgotten. */
  readonly sure: boolean
  /** Keys of the same line that were echoed before anyone knew. */
  readonly shown?: Uint8Array
}

const star = 0x2a
const escape = 0x1b
const nothing: Buffer = Buffer.alloc(0)
/** As programs show hidden characters: ASCII, and the bytes of • ● ∙ · ◦ ○ █ ▪ ■ ⬤ in UTF-8. */
const bullets = new Set(
  Array.from('*•●∙·◦○█▪■⬤✱＊', (bullet) => Buffer.from(bullet)).map((bullet) => bullet.toString('latin1')),
)

export function createEchoGuard(taint: Pick<Taint, 'add'>): EchoGuard {
  const line = createTypedLine((entered) => {
    kept.push(entered)
    settle()
  })
  /** Lines entered while nobody knew what is asked. */
  const kept: number[][] = []
  let isSure = false
  let prompt: readonly number[] = []
  /** How much of the prompt was printed since the cursor moved back; null: it did not. */
  let redrawn: number | null = null
  let afterBullet = false
  let isOpen = false
  let held = nothing

  function settle(): void {
    if (!isSure) return
    for (const entered of kept.splice(0)) {
      taint.add(entered)
      entered.fill(0)
    }
  }

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
    const isRevealed = afterBullet
    afterBullet = false
    if (line.echo(byte)) return true
    if (isRevealed && line.isLast(byte)) return true
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
    if (isPrompt(byte)) return 0
    const text = line.find(plain, at)
    if (text.length > 0 && !text.isOpen) {
      for (let step = 0; step < text.length; step++) line.echo(plain[at + step] ?? 0)
      return text.length
    }
    if (isEcho(byte)) return 1
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
      const bullet = redrawn === null || prompt[redrawn] !== byte ? bulletAt(plain, at) : 0
      if (bullet > 0) {
        // It stands for one character: the next one is shown as itself for a moment, or not at all.
        if (redrawn !== null) line.again()
        redrawn = null
        line.hidden()
        afterBullet = true
        at += bullet - 1
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
    return out.subarray(0, cut)
  }

  return {
    get isOn() {
      return isOpen || held.length > 0
    },
    get held() {
      return held.length
    },
    typed(keys, before, { sure, shown }) {
      if (!isOpen) {
        prompt = plainOf(before)
        line.forget()
      }
      isOpen = true
      isSure ||= sure
      settle()
      if (shown && shown.length > 0) line.typed(shown, true)
      line.typed(keys)
    },
    over() {
      if (isSure) taint.add(line.text())
      for (const text of kept.splice(0)) text.fill(0)
      isOpen = false
      isSure = false
      line.forget()
    },
    push: (bytes) => run(held.length > 0 ? Buffer.concat([held, bytes]) : bytes, false),
    flush: () => (held.length > 0 ? run(held, true) : nothing),
  }
}

/** The length of the bullet that begins here; 0 if none does. */
function bulletAt(plain: readonly number[], at: number): number {
  for (const length of [1, 2, 3]) {
    if (bullets.has(String.fromCharCode(...plain.slice(at, at + length)))) return length
  }
  return 0
}
