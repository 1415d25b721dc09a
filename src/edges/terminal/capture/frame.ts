import { sequenceEnd } from './escapes.ts'

/** An escape sequence that does not end is passed on at this length. */
const mostHeld = 64 * 1024

/** Cuts bytes only between characters and escape sequences, and never between CR and LF. */
export type CapturedFrame = {
  readonly held: number
  /** A CR waits for its LF. */
  readonly isReturn: boolean
  /** The complete part of everything given so far. Valid until the next `push` of any frame. */
  push(bytes: Buffer): Buffer
  /** Releases a CR that waited for its LF. Anything else held may be the middle of a sequence. */
  flush(): Buffer
  /** Everything: nothing more will come. */
  end(): Buffer
}

const nothing = Buffer.alloc(0)
/** Held and new bytes are joined here: a buffer for each would fragment long-lived memory. */
const meeting = Buffer.allocUnsafeSlow(mostHeld + 256 * 1024)

function joined(held: Buffer, bytes: Buffer): Buffer {
  const length = held.length + bytes.length
  if (length > meeting.length) return Buffer.concat([held, bytes])
  held.copy(meeting)
  bytes.copy(meeting, held.length)
  return meeting.subarray(0, length)
}

export function createFrame(): CapturedFrame {
  let held: Buffer = nothing

  function push(bytes: Buffer): Buffer {
    const all = held.length > 0 ? joined(held, bytes) : bytes
    const cut = wholeUntil(all)
    held = cut < all.length ? Buffer.from(all.subarray(cut)) : nothing
    return cut < all.length ? all.subarray(0, cut) : all
  }

  const isReturn = () => held.length === 1 && held[0] === 13

  function end(): Buffer {
    const rest = held
    held = nothing
    return rest
  }

  return {
    get held() {
      return held.length
    },
    get isReturn() {
      return isReturn()
    },
    push,
    flush: () => (isReturn() ? end() : nothing),
    end,
  }
}

function wholeUntil(bytes: Buffer): number {
  const escape = bytes.lastIndexOf(0x1b)
  if (escape >= 0 && sequenceEnd(bytes, escape) > bytes.length && bytes.length - escape <= mostHeld) {
    // ESC alone may be the end of a string that began before.
    return escape + 1 === bytes.length ? stringBefore(bytes, escape) : escape
  }
  if (bytes.at(-1) === 13) return bytes.length - 1
  return bytes.length - tornCharacter(bytes)
}

function stringBefore(bytes: Buffer, escape: number): number {
  const opened = escape > 0 ? bytes.lastIndexOf(0x1b, escape - 1) : -1
  return opened >= 0 && sequenceEnd(bytes, opened) > escape && escape - opened <= mostHeld ? opened : escape
}

/** How many bytes at the end begin a character that is not complete. */
function tornCharacter(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return byte <= 0xf4 && length > back ? back : 0
  }
  return 0
}
