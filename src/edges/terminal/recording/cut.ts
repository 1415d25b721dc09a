/** Where a piece of text may end: never inside a character, an escape sequence or a CR LF. Shared by all readers. */

const high = (code: number) => code >= 0xd800 && code <= 0xdbff
const low = (code: number) => code >= 0xdc00 && code <= 0xdfff

/** Longer sequences do not occur: they were cut when they were captured. */
const longestSequence = 64 * 1024

/** The last position up to `at` where the text may be cut; if that is the start, the first one after `at`. */
export function cutBefore(text: string, at: number): number {
  if (at >= text.length) return text.length
  let cut = at
  const escape = text.lastIndexOf('\x1b', cut - 1)
  if (escape >= 0 && cut - escape <= longestSequence) {
    const end = sequenceEnd(text, escape)
    if (end > cut) cut = escape
  }
  // The end of a string, ESC \, belongs to what it ends.
  if (text.charCodeAt(cut) === 0x1b && text.charCodeAt(cut + 1) === 0x5c) {
    const opened = text.lastIndexOf('\x1b', cut - 1)
    if (opened >= 0 && sequenceEnd(text, opened) > cut) cut = opened
  }
  if (cut > 0 && high(text.charCodeAt(cut - 1)) && low(text.charCodeAt(cut))) cut -= 1
  else if (cut > 0 && text.charCodeAt(cut - 1) === 13 && text.charCodeAt(cut) === 10) cut -= 1
  return cut > 0 ? cut : cutAfter(text, at)
}

function cutAfter(text: string, at: number): number {
  const first = text.charCodeAt(0)
  if (first === 0x1b) {
    const end = sequenceEnd(text, 0)
    return end > longestSequence ? Math.min(text.length, Math.max(at, 1)) : Math.min(end, text.length)
  }
  if (high(first) && low(text.charCodeAt(1))) return 2
  return first === 13 && text.charCodeAt(1) === 10 ? 2 : Math.max(1, Math.min(at, text.length))
}

/** The position after the escape sequence that begins at `start`; beyond the text if it does not end there. */
export function sequenceEnd(text: string, start: number): number {
  const kind = text.charCodeAt(start + 1)
  if (kind === 0x5b) return csiEnd(text, start + 2)
  if (kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) {
    return stringEnd(text, start + 2, kind === 0x5d)
  }
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) >= 0x20 && text.charCodeAt(at) <= 0x2f) at += 1
  return at + 1
}

function csiEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x1b) return at
    if ((code >= 0x40 && code <= 0x7e) || code === 0x18 || code === 0x1a) return at + 1
  }
  return text.length + 1
}

function stringEnd(text: string, from: number, bell: boolean): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x18 || code === 0x1a || (bell && code === 7)) return at + 1
    // Any escape ends it; ESC \ is part of it.
    if (code === 0x1b) {
      if (at + 1 >= text.length) return text.length + 1
      return text.charCodeAt(at + 1) === 0x5c ? at + 2 : at
    }
  }
  return text.length + 1
}
