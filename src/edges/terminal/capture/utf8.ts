import { isUtf8 } from 'node:buffer'

/**
 * Bytes as text of the same length in UTF-8: each byte that is not part of a character becomes `?`. That the length
 * stays is what makes an offset of the text an offset of the source too.
 */
export const wellFormed = (bytes: Buffer): Buffer => (isUtf8(bytes) ? bytes : repaired(bytes))

function repaired(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length;) {
    const length = characterAt(copy, at)
    if (length === 0) copy[at] = 0x3f
    at += length || 1
  }
  return copy
}

/** The length of the character that begins here; 0 where none does. */
function characterAt(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return 0
  return isUtf8(bytes.subarray(at, at + length)) ? length : 0
}
