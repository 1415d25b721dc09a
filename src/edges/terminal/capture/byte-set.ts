/** Bytes a run may consist of: 1 if allowed. */
export type ByteSet = Uint8Array

export function setOf(characters: string): ByteSet {
  const set = new Uint8Array(256)
  for (const part of characters.matchAll(/(.)-(.)|(.)/gsu)) {
    const [, low, high, single] = part
    const from = (low ?? single ?? '').charCodeAt(0)
    const to = (high ?? single ?? '').charCodeAt(0)
    for (let byte = from; byte <= to; byte++) set[byte] = 1
  }
  return set
}

/** What is already masked stays masked, and the mask continues if the rest follows. */
export function orHidden(set: ByteSet): ByteSet {
  const more = new Uint8Array(set)
  more[0x2a] = 1
  return more
}

/** Everything printable except these; non-ASCII counts as printable. */
export function allBut(characters: string): ByteSet {
  const set = new Uint8Array(256)
  set.fill(1, 0x21, 0x7f)
  set.fill(1, 0x80)
  for (const character of characters) set[character.charCodeAt(0)] = 0
  return set
}

/** Everything up to a quote or the end of the line. */
export function untilQuote(quote: string): ByteSet {
  const set = allBut(quote)
  set[0x20] = quote === '' ? 0 : 1
  set[9] = set[0x20]
  return set
}
