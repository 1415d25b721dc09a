import { tell, type SecretMatch } from './bodies.ts'
import type { ByteSet } from './byte-set.ts'
import { isString, sequenceEnd } from './escapes.ts'
import { createKeyBlock, type KeyBlock } from './key-block.ts'
import type { Mask } from './masks.ts'
import { createTriggers, type Triggers } from './triggers.ts'

/** Compiled rules, shared by every terminal. */
export type Masks = { readonly list: readonly Mask[]; readonly triggers: Triggers }

export const prepareMasks = (list: readonly Mask[]): Masks => ({ list, triggers: createTriggers(list) })

/**
 * Replaces secrets by as many `*`, however the text is chunked. Escape sequences inside a secret stay, and text
 * inside a title or a link is masked too. Takes complete sequences and characters; holds only what is undecided.
 */
export type Masker = {
  readonly held: number
  /** The masked text shown before: a secret that began there continues. Call before the first `push`. */
  resume(shown: Buffer): void
  push(bytes: Buffer): Buffer
  /** Releases what has been held long enough. */
  flush(): Buffer
}

const star = 0x2a
const escape = 0x1b
const mostHeld = 4096
/** A longer value is not a secret but has no end. */
const longestSecret = 16 * 1024
const nothing = Buffer.alloc(0)

export function createMasker(masks: Masks): Masker {
  const { next, classes, firstFound } = masks.triggers
  /** Undecided text with the word that announced it; the first `shown` characters were passed on already. */
  let rest: Buffer = nothing
  let shown = 0
  let state = masks.triggers.start
  let isPending = false
  let open: { set: ByteSet; left: number } | null = null
  let key: KeyBlock | null = null

  let bytes: Buffer = nothing
  let isOwn = false

  /** The bytes are the caller's until something in them is masked. */
  function hide(from: number, to: number): void {
    if (!isOwn) bytes = Buffer.from(bytes)
    isOwn = true
    for (let at = from; at < to; at++) {
      if (bytes[at] === escape) {
        const end = Math.min(to, sequenceEnd(bytes, at))
        maskString(at, end)
        at = end - 1
      } else bytes[at] = star
    }
  }

  /** Titles, links and the like are separate text. */
  function maskString(from: number, to: number): void {
    if (!isString(bytes[from + 1])) return
    const around = state
    state = masks.triggers.start
    const stop = passOver(from + 2, to)
    state = around
    if (stop >= to || bytes[stop] === escape) return
    const inner = createMasker(masks)
    const before = bytes.subarray(from + 2, to)
    const masked = Buffer.concat([inner.push(before), inner.flush()])
    if (masked.length !== before.length || masked.equals(before)) return
    if (!isOwn) bytes = Buffer.from(bytes)
    isOwn = true
    masked.copy(bytes, from + 2)
  }

  function goOnHiding(from: number): number {
    if (!open) return from
    let at = from
    while (at < bytes.length && open.left > 0) {
      const byte = bytes[at] ?? 0
      if (byte === escape) at = Math.min(bytes.length, sequenceEnd(bytes, at))
      else if (open.set[byte] === 1) {
        at += 1
        open.left -= 1
      } else break
    }
    if (at > from) hide(from, at)
    if (at < bytes.length) {
      open = null
      state = masks.triggers.after(star)
    }
    return at
  }

  /**
   * The loop every byte goes through: up to the byte that ends a word or begins an escape sequence. Its reads are
   * within bounds by construction; checking each would halve its speed.
   */
  function passOver(from: number, end = bytes.length): number {
    const table = next
    const classOf = classes
    const found = firstFound
    const input = bytes
    let now = state
    let at = from
    while (at < end) {
      const to = table[now | (classOf[input[at] as number] as number)] as number
      if (to >= found) break
      now = to
      at++
    }
    state = now
    return at
  }

  /** Finds a word that announces a secret; returns the position after it, or the end. */
  function scan(from: number): number {
    let at = passOver(from)
    while (at < bytes.length) {
      if (bytes[at] !== escape) {
        state = next[state | (classes[bytes[at] ?? 0] ?? 0)] ?? 0
        isPending = true
        return at + 1
      }
      const end = Math.min(bytes.length, sequenceEnd(bytes, at))
      maskString(at, end)
      at = passOver(end)
    }
    return at
  }

  /** The first rule that matches; otherwise whether one of them has to wait. */
  function ask(at: number, late: boolean): SecretMatch | 'key' {
    let keep: number | null = null
    for (const index of masks.triggers.found(state)) {
      const body = masks.list[index]?.body
      if (!body) continue
      if (body.kind === 'key') return 'key'
      const told = tell(body, bytes, at, late)
      if (told.is === 'secret') return told
      if (told.is === 'more') keep = Math.min(keep ?? told.keep, told.keep)
    }
    return keep === null ? { is: 'no' } : { is: 'more', keep }
  }

  function run(given: Buffer, late: boolean): Buffer {
    bytes = given
    isOwn = false
    const before = shown
    let at = 0
    /** Nothing before this may be held. */
    let until = bytes.length
    rest = nothing
    shown = 0
    while (at < bytes.length || (isPending && at === bytes.length)) {
      if (open) at = goOnHiding(at)
      else if (key) {
        const told = key.mask(bytes, at, late, hide)
        at = told.at
        if (told.done) {
          key = null
          state = masks.triggers.start
        } else if (at < bytes.length) {
          until = at
          break
        }
      } else if (isPending) {
        const told = ask(at, late || bytes.length - at > mostHeld)
        if (told !== 'key' && told.is === 'more') {
          rest = Buffer.from(bytes.subarray(at))
          shown = Math.max(told.keep, before) - at
          return bytes.subarray(before, at + shown)
        }
        isPending = false
        if (told === 'key') key = createKeyBlock()
        else if (told.is === 'secret') {
          open = { set: told.set, left: longestSecret }
          at = told.from
        }
      } else at = scan(at)
    }
    if (until < bytes.length) rest = Buffer.from(bytes.subarray(until))
    shown = Math.max(0, before - until)
    return bytes.subarray(before, Math.max(before, until))
  }

  return {
    get held() {
      return rest.length - shown
    },
    resume(before) {
      run(before, false)
      shown = rest.length
    },
    push: (more) => run(rest.length > 0 ? Buffer.concat([rest, more]) : more, false),
    flush: () => (rest.length > shown ? run(rest, true) : nothing),
  }
}
