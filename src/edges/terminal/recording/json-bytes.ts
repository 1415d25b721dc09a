/**
 * Text in UTF-8 as the inside of a JSON string, from bytes to bytes: what JSON.stringify makes of it, without a string
 * in between. A terminal that prints megabytes a second is written down this way.
 */
const short = new Map([
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x22, '"'],
  [0x5c, '\\'],
])
const escaped = Array.from({ length: 256 }, (_, byte) => {
  const letter = short.get(byte)
  if (letter !== undefined) return Buffer.from(`\\${letter}`)
  return byte < 0x20 ? Buffer.from(`\\u00${byte.toString(16).padStart(2, '0')}`) : null
})
/** How many bytes each becomes. */
const lengths = Uint8Array.from(escaped, (bytes) => bytes?.length ?? 1)

export function jsonLength(text: Uint8Array): number {
  let length = 0
  // Within bounds by construction: a check of each would cost as much again.
  for (let at = 0; at < text.length; at++) length += lengths[text[at] as number] as number
  return length
}

/** Writes it; gives where it ends. */
export function writeJson(text: Uint8Array, into: Uint8Array, start: number): number {
  let end = start
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] as number
    if (lengths[byte] === 1) into[end++] = byte
    else for (const one of escaped[byte] ?? []) into[end++] = one
  }
  return end
}
