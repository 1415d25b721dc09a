/** A piece of text, and whether it is a match. */
export type MatchPiece = { text: string; isHit: boolean }

/** Splits a text at every match of one of the words, ignoring case. */
export function wordMatches(text: string, words: readonly string[]): MatchPiece[] {
  const wanted = words
    .filter((word) => word !== '')
    .map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  if (wanted.length === 0) return [{ text, isHit: false }]
  return cut(text, new RegExp(wanted.join('|'), 'giu'))
}

/** Repeated groups or many repetitions: unlike the server, a browser may never finish such an expression. */
const isSlow = (source: string): boolean => /\)[*+{?]/.test(source) || (source.match(/[*+{]/g)?.length ?? 0) > 2

/** The same for a regular expression. One that is invalid or slow in this browser marks nothing. */
export function regexMatches(text: string, source: string): MatchPiece[] {
  if (isSlow(source)) return [{ text, isHit: false }]
  try {
    return cut(text, new RegExp(source.replace(/^\(\?i\)/, ''), source.startsWith('(?i)') ? 'giu' : 'gu'))
  } catch {
    return [{ text, isHit: false }]
  }
}

/** Longer lines are shown without marks. */
const longest = 2000

function cut(text: string, pattern: RegExp): MatchPiece[] {
  if (text.length > longest) return [{ text, isHit: false }]
  const pieces: MatchPiece[] = []
  let end = 0
  for (const { 0: hit, index } of text.matchAll(pattern)) {
    if (hit === '') continue
    if (index > end) pieces.push({ text: text.slice(end, index), isHit: false })
    pieces.push({ text: hit, isHit: true })
    end = index + hit.length
  }
  if (end < text.length || pieces.length === 0) pieces.push({ text: text.slice(end), isHit: false })
  return pieces
}
