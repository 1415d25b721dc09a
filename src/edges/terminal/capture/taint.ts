import { randomInt } from 'node:crypto'
import { isString, sequenceEnd } from './escapes.ts'

/**
 * What was typed as a secret at this terminal, as keyed hashes of its beginnings and pieces: it is recognised wherever it
 * is printed until the terminal ends, however the output is chunked or coloured, and can't be read from here.
 */
export type Taint = {
  readonly held: number
  /** `doubtful`: only until `clear` says that it was none. Text shorter than four bytes may occur anywhere. */
  add(secret: readonly number[], doubtful?: boolean): void
  /** What was added in doubt was not secret. */
  clear(): void
  /** In doubt no longer: it stays. */
  confirm(): void
  push(bytes: Buffer): Buffer
  /** Releases what could have become a secret. */
  flush(): Buffer
}

const star = 0x2a
const escape = 0x1b
export const shortestSecret = 4
const longestSecret = 1024
/** A piece of this length is masked too, unless it is plain words. */
const pieceLength = 8
/** This much of a piece is held before it is sure; fewer letters begin any word. */
const worthHolding = 2
/** Beyond this, the oldest are forgotten: nobody types so many. */
const mostHashes = 200_000
const nothing: Buffer = Buffer.alloc(0)
const [seedA, seedB] = [randomInt(2 ** 32), randomInt(2 ** 32)]

/** A secret, or a piece of one, whose beginning was printed. */
type Chain = { a: number; b: number; length: number; from: number }
type Known = { firsts: Set<number>; pairs: Set<number>; begins: Set<number>; ends: Set<number> }

const stepA = (a: number, byte: number) => Math.imul(a ^ byte, 0x01000193) >>> 0
const stepB = (b: number, byte: number) => (Math.imul(b, 0x85ebca6b) + byte * 0x9e3779b1) >>> 0
const keyOf = ({ a, b }: { a: number; b: number }) => a * 0x200000 + (b >>> 11)
const newKnown = (): Known => ({ firsts: new Set(), pairs: new Set(), begins: new Set(), ends: new Set() })

export function createTaint(): Taint {
  const sure = newKnown()
  let doubt = newKnown()
  const pairs = new Uint8Array(65536)
  let chains: Chain[] = []
  let last = 0
  let held = nothing
  let isEmpty = true

  const begins = (key: number) => sure.begins.has(key) || doubt.begins.has(key)
  const isFirst = (byte: number) => sure.firsts.has(byte) || doubt.firsts.has(byte)
  const ends = (key: number) => sure.ends.has(key) || doubt.ends.has(key)

  function remember(text: readonly number[], into: Known): void {
    const hash = { a: seedA, b: seedB }
    for (const [at, byte] of text.entries()) {
      hash.a = stepA(hash.a, byte)
      hash.b = stepB(hash.b, byte)
      if (at === 1) into.pairs.add(((text[0] ?? 0) << 8) | byte)
      if (at > 0) into.begins.add(keyOf(hash))
    }
    into.ends.add(keyOf(hash))
  }

  function refresh(): void {
    pairs.fill(0)
    for (const known of [sure, doubt]) for (const pair of known.pairs) pairs[pair] = 1
    isEmpty = sure.ends.size + doubt.ends.size === 0
    if (isEmpty) chains = []
  }

  /** Follows one more byte; gives the position from which on the text is secret, or null. */
  function follow(byte: number, at: number): number | null {
    let hit: number | null = null
    const pair = pairs[(last << 8) | byte] === 1
    if (chains.length > 0) {
      const going: Chain[] = []
      for (const chain of chains) {
        const next = { ...chain, a: stepA(chain.a, byte), b: stepB(chain.b, byte), length: chain.length + 1 }
        const key = keyOf(next)
        if (!begins(key)) continue
        going.push(next)
        if (ends(key)) hit = Math.min(hit ?? chain.from, chain.from)
        // Its beginning was already shown, as it came too slowly to be held: the rest is not.
        else if (chain.from < 0 && next.length > shortestSecret) hit = Math.min(hit ?? at, at)
      }
      chains = going
    }
    if (pair) {
      const a = stepA(stepA(seedA, last), byte)
      const b = stepB(stepB(seedB, last), byte)
      if (begins(keyOf({ a, b }))) chains.push({ a, b, length: 2, from: at - 1 })
    }
    last = byte
    return hit
  }

  function maskString(out: Buffer, from: number, to: number): void {
    if (!isString(out[from + 1])) return
    const [around, before] = [chains, last]
    chains = []
    last = 0
    for (let at = from + 2; at < to; at++) {
      const hit = follow(out[at] ?? 0, at)
      if (hit !== null) out.fill(star, Math.max(from + 2, hit), at + 1)
    }
    chains = around
    last = before
  }

  /** Whether anything of it may be part of a secret; most output is not. */
  function mayContain(bytes: Buffer): boolean {
    let before = last
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte === escape) {
        const end = Math.min(bytes.length, sequenceEnd(bytes, at))
        if (isString(bytes[at + 1])) return true
        at = end - 1
      } else {
        if (pairs[(before << 8) | byte] === 1) return true
        before = byte
      }
    }
    if (isFirst(before)) return true
    last = before
    return false
  }

  /** `bytes` come after what is held, which was followed already. */
  function run(bytes: Buffer, late: boolean): Buffer {
    const out = held.length > 0 ? Buffer.concat([held, bytes]) : Buffer.from(bytes)
    /** Where each plain byte is. */
    const places: number[] = []
    for (let at = 0; at < out.length;) {
      if (out[at] === escape) {
        const end = Math.min(out.length, sequenceEnd(out, at))
        if (at >= held.length) maskString(out, at, end)
        at = end
        continue
      }
      const place = places.push(at) - 1
      const hit = at >= held.length ? follow(out[at] ?? 0, place) : null
      if (hit !== null) for (let step = Math.max(0, hit); step <= place; step++) out[places[step] ?? 0] = star
      at += 1
    }
    const open = chains.filter(({ from, length }) => from >= 0 && length >= worthHolding).map(({ from }) => from)
    // The first letter of a whole secret waits for the second.
    if (places.length > 0 && isFirst(last)) open.push(places.length - 1)
    const place = late || open.length === 0 ? places.length : Math.min(...open)
    const cut = place < places.length ? (places[place] ?? out.length) : out.length
    held = cut < out.length ? Buffer.from(out.subarray(cut)) : nothing
    // What is passed on can't be masked any more.
    chains = chains.map((chain) => ({ ...chain, from: chain.from < place ? -1 : chain.from - place }))
    return out.subarray(0, cut)
  }

  return {
    get held() {
      return held.length
    },
    add(secret, doubtful = false) {
      if (secret.length < shortestSecret) return
      const text = secret.slice(0, longestSecret)
      const into = doubtful ? doubt : sure
      if (into.begins.size > mostHashes) Object.assign(into, newKnown())
      remember(text, into)
      into.firsts.add(text[0] ?? 0)
      for (let at = 0; at + pieceLength < text.length; at++) {
        for (const from of at + 1 + pieceLength === text.length ? [at, at + 1] : [at]) {
          const piece = text.slice(from, from + pieceLength)
          if (!isWords(piece)) remember(piece, into)
        }
      }
      refresh()
    },
    clear() {
      if (doubt.ends.size === 0) return
      doubt = newKnown()
      refresh()
    },
    confirm() {
      for (const kind of ['firsts', 'pairs', 'begins', 'ends'] as const)
        for (const one of doubt[kind]) sure[kind].add(one)
      doubt = newKnown()
    },
    push(bytes) {
      if (isEmpty && held.length === 0) return bytes
      return held.length === 0 && chains.length === 0 && !mayContain(bytes) ? bytes : run(bytes, false)
    },
    flush: () => (held.length > 0 ? run(nothing, true) : nothing),
  }
}

/** Letters and blanks alone may be words that anyone prints. */
const isWords = (piece: readonly number[]): boolean => {
  const kinds = new Set(piece.map(kindOf))
  kinds.delete('blank')
  return kinds.size < 2
}

const kindOf = (byte: number): string => {
  if (byte === 0x20) return 'blank'
  if (byte >= 0x30 && byte <= 0x39) return 'digit'
  if (byte >= 0x61 && byte <= 0x7a) return 'small'
  if (byte >= 0x41 && byte <= 0x5a) return 'large'
  return byte >= 0x80 ? 'other script' : 'sign'
}
