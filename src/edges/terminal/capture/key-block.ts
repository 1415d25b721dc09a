import { setOf } from './byte-set.ts'
import { sequenceEnd } from './escapes.ts'

const base64 = setOf('A-Za-z0-9+/=*')
/** A run of this length is key material anywhere; a shorter one only if it is alone on its line. */
const longRun = 16
/** After this many lines without key material, the key was only quoted, or cut off. */
const mostMisses = 3
const escape = 0x1b
const dash = 0x2d

export type KeyBlock = {
  /** Masks from `at` on. `at`: how far it got; `done`: the key is over; otherwise the rest must be held. */
  mask(
    bytes: Buffer,
    at: number,
    late: boolean,
    hide: (from: number, to: number) => void,
  ): { at: number; done: boolean }
}

/** Masks the lines of a private key, even inside a box. */
export function createKeyBlock(): KeyBlock {
  let dashes = 0
  let misses = 0
  let isRunning = false
  let hit = false
  let blank = true
  let alone = true

  function endLine(): void {
    if (!blank) misses = hit ? 0 : misses + 1
    hit = false
    blank = true
    alone = true
  }

  /** Where the run that begins here ends, and whether it is long. */
  function runFrom(bytes: Buffer, from: number): { end: number; count: number } {
    let at = from
    let count = 0
    while (at < bytes.length && (bytes[at] === escape || base64[bytes[at] ?? 0] === 1)) {
      if (bytes[at] === escape) at = Math.min(bytes.length, sequenceEnd(bytes, at))
      else {
        at += 1
        count += 1
      }
    }
    return { end: at, count }
  }

  return {
    mask(bytes, from, late, hide) {
      let at = from
      while (at < bytes.length) {
        const byte = bytes[at] ?? 0
        if (byte === escape) {
          at = Math.min(bytes.length, sequenceEnd(bytes, at))
          continue
        }
        if (base64[byte] === 1) {
          const run = runFrom(bytes, at)
          const isOpen = run.end >= bytes.length
          const isLong = isRunning || run.count >= longRun
          if (isOpen && !isLong && !late) return { at, done: false }
          const endsLine = bytes[run.end] === 10 || bytes[run.end] === 13
          const isHidden = isLong || (alone && (endsLine || (isOpen && late)))
          if (isHidden) hide(at, run.end)
          hit ||= isHidden
          isRunning = isOpen && isHidden
          blank = false
          alone = false
          dashes = 0
          at = run.end
          continue
        }
        isRunning = false
        dashes = byte === dash ? dashes + 1 : 0
        at += 1
        if (byte === 10) endLine()
        else if (byte > 0x20 && byte !== dash && !`"'\\,|`.includes(String.fromCharCode(byte))) {
          blank = false
          alone = false
        }
        if (dashes === 5 || misses >= mostMisses) return { at, done: true }
      }
      return { at, done: false }
    },
  }
}
