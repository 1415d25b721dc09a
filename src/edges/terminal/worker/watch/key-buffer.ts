import { isCharacter } from './key-codes.ts'

/** Keys since the last line end. Of a secret only the count is kept. */
export type KeyBuffer = {
  readonly count: number
  /** Whether a character is among them. */
  readonly characters: boolean
  add(code: number): void
  /** Overwrites the keys, and keeps none from now on. */
  drop(): void
  readonly dropped: boolean
  view(): ArrayLike<number>
  clear(): void
}

const most = 16_384

export function createKeyBuffer(): KeyBuffer {
  let codes = new Uint32Array(64)
  let length = 0
  let count = 0
  let characters = false
  let dropped = false
  const wipe = () => {
    codes.fill(0)
    length = 0
  }
  return {
    get count() {
      return count
    },
    get characters() {
      return characters
    },
    get dropped() {
      return dropped
    },
    add(code) {
      count += 1
      characters ||= isCharacter(code)
      if (dropped) return
      // A line this long was not typed by a person.
      if (length === most) return this.drop()
      if (length === codes.length) {
        const larger = new Uint32Array(codes.length * 2)
        larger.set(codes)
        codes.fill(0)
        codes = larger
      }
      codes[length] = code
      length += 1
    },
    drop() {
      dropped = true
      wipe()
    },
    view: () => codes.subarray(0, length),
    clear() {
      wipe()
      count = 0
      characters = false
      dropped = false
    },
  }
}
