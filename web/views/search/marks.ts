/** A piece of text, and whether it is what was looked for. */
export type Piece = { text: string; isHit: boolean }

/** Cuts a text at every place where it has one of the words, in whatever case. */
export function marksOf(text: string, words: readonly string[]): Piece[] {
  const wanted = words
    .filter((word) => word !== '')
    .map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  if (wanted.length === 0) return [{ text, isHit: false }]
  return cut(text, new RegExp(wanted.join('|'), 'giu'))
}

/** Groups that repeat, or many repetitions: a browser, other than the server, may look for such a one forever. */
const isSlow = (source: string): boolean => /\)[*+{?]/.test(source) || (source.match(/[*+{]/g)?.length ?? 0) > 2

/** The same for an expression; one that this browser does not read, or not soon, marks nothing. */
export function regexMarksOf(text: string, source: string): Piece[] {
  if (isSlow(source)) return [{ text, isHit: false }]
  try {
    return cut(text, new RegExp(source.replace(/^\(\?i\)/, ''), source.startsWith('(?i)') ? 'giu' : 'gu'))
  } catch {
    return [{ text, isHit: false }]
  }
}

/** Longer lines are shown without marks. */
const longest = 2000

function cut(text: string, pattern: RegExp): Piece[] {
  if (text.length > longest) return [{ text, isHit: false }]
  const pieces: Piece[] = []
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
