const escape = 0x1b

/**
 * The position after the escape sequence that starts at `start`: `bytes.length + 1` if it does not end in these bytes.
 * Strings (OSC, DCS, SOS, PM, APC) end with ESC \, a cancel, any other escape, and OSC also with BEL.
 */
export function sequenceEnd(bytes: Uint8Array, start: number): number {
  const kind = bytes[start + 1]
  if (kind === undefined) return bytes.length + 1
  if (kind === 0x5b) return csiEnd(bytes, start + 2)
  if (isString(kind)) return stringEnd(bytes, start + 2, kind === 0x5d)
  let at = start + 1
  // ESC with intermediates, as in ESC ( B.
  while (at < bytes.length && isBetween(bytes[at], 0x20, 0x2f)) at += 1
  return at + 1
}

/** OSC, DCS, SOS, PM and APC carry text of any length. */
export const isString = (kind: number | undefined): boolean =>
  kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f

const isBetween = (byte: number | undefined, low: number, high: number): boolean =>
  byte !== undefined && byte >= low && byte <= high

function csiEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === escape) return at
    if (isBetween(byte, 0x40, 0x7e) || byte === 0x18 || byte === 0x1a) return at + 1
  }
  return bytes.length + 1
}

function stringEnd(bytes: Uint8Array, from: number, bell: boolean): number {
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x18 || byte === 0x1a || (bell && byte === 7)) return at + 1
    if (byte !== escape) continue
    if (at + 1 >= bytes.length) return bytes.length + 1
    return bytes[at + 1] === 0x5c ? at + 2 : at
  }
  return bytes.length + 1
}
