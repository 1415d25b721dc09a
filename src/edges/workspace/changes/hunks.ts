import type { Hunk, HunkLine } from '../../../lib/diff/scan-diff.ts'

// Limits the search for hunks, so that a hostile diff can't block the server.
const mostTries = 100_000

const bom = '\u00EF\u00BB\u00BF'

/**
 * The file after these hunks, or null if they don't match. Texts hold one byte per character, so that files that are not
 * UTF-8 stay intact. The file keeps its line ends even if the diff uses others.
 */
export function applyHunks(file: string, read: readonly Hunk[], crlfDiff: boolean): string | null {
  const hunks = read.map(inBytes)
  if (hunks.length === 0) return file
  const has = (end: string): boolean => hunks.some(({ lines }) => lines.some(({ text }) => text.endsWith(end)))
  const otherEnds = (isCrlf(file) && !has('\r')) || (crlfDiff && file !== '' && !file.includes('\r'))
  return (otherEnds ? null : applyExactly(file, hunks)) ?? applyLoosely(file, hunks)
}

const inBytes = (hunk: Hunk): Hunk => ({
  ...hunk,
  lines: hunk.lines.map((line) => ({ ...line, text: Buffer.from(line.text, 'utf8').toString('latin1') })),
})

/** New content for a whole file keeps its CRLF line ends and byte order mark. */
export function keepShape(file: string, content: string): string {
  const ends = isCrlf(file) && !content.includes('\r') ? content.replaceAll('\n', '\r\n') : content
  return file.startsWith(bom) && !ends.startsWith(bom) ? bom + ends : ends
}

const isCrlf = (file: string): boolean => file.includes('\r\n') && !/(?<!\r)\n/.test(file)

const linesOf = (file: string): string[] => file.match(/[^\n]*\n|[^\n]+$/g) ?? []
const whole = ({ text, ended }: HunkLine): string => (ended ? `${text}\n` : text)
const unended = (line: string): string => line.replace(/\r?\n$|\r$/, '')

function applyExactly(file: string, hunks: readonly Hunk[]): string | null {
  const lines = linesOf(file)
  const places = placesOf(lines, hunks, whole)
  return places === null ? null : joined(lines, hunks, places, whole)
}

/** Ignores line ends and a byte order mark, and takes both from the file. */
function applyLoosely(file: string, hunks: readonly Hunk[]): string | null {
  const mark = file.startsWith(bom) ? bom : ''
  const lines = linesOf(file.slice(mark.length))
  const bare = (line: HunkLine): string => {
    const text = unended(mark !== '' && line.text.startsWith(bom) ? line.text.slice(bom.length) : line.text)
    return line.ended ? `${text}\n` : text
  }
  const compared = lines.map((line) => (line.endsWith('\n') ? `${unended(line)}\n` : unended(line)))
  const places = placesOf(compared, hunks, bare)
  if (places === null) return null
  const added = (line: HunkLine, at: number): string =>
    line.ended ? unended(bare(line)) + endNear(lines, at) : bare(line)
  const result = joined(lines, hunks, places, added)
  return result === null || result === '' ? result : mark + result
}

const endNear = (lines: readonly string[], at: number): string => {
  const near = [lines[at - 1], lines[at - 2], lines[at]].find((line) => line?.endsWith('\n')) ?? '\n'
  return near.endsWith('\r\n') ? '\r\n' : '\n'
}

/** Where each hunk applies: at its stated line, or at the only other position that matches. */
function placesOf(lines: readonly string[], hunks: readonly Hunk[], text: (line: HunkLine) => string): number[] | null {
  const places: number[] = []
  let [from, shifted] = [0, false]
  let tries = 0
  for (const hunk of hunks) {
    const wanted = hunk.lines.filter(({ op }) => op !== '+').map(text)
    const stated = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1
    const fits = (at: number): boolean => {
      if (at < from || at + wanted.length > lines.length) return false
      return wanted.every((line, index) => {
        tries += 1
        return lines[at + index] === line
      })
    }
    let place = !shifted && fits(stated) ? stated : null
    if (place === null) {
      if (wanted.length === 0) return null
      for (let at = from; at + wanted.length <= lines.length; at += 1) {
        if (tries > mostTries) return null
        if (!fits(at)) continue
        if (place !== null) return null
        place = at
      }
      if (place === null) return null
      shifted = place !== stated
    }
    places.push(place)
    from = place + wanted.length
  }
  return places
}

function joined(
  lines: readonly string[],
  hunks: readonly Hunk[],
  places: readonly number[],
  added: (line: HunkLine, at: number) => string,
): string | null {
  const result: string[] = []
  let at = 0
  for (const [index, hunk] of hunks.entries()) {
    const place = places[index] ?? 0
    for (; at < place; at += 1) result.push(lines[at] ?? '')
    for (const line of hunk.lines) {
      if (line.op === '+') result.push(added(line, at))
      else {
        if (line.op === ' ') result.push(lines[at] ?? '')
        at += 1
      }
    }
  }
  for (; at < lines.length; at += 1) result.push(lines[at] ?? '')
  // Only the last line may lack a newline: otherwise two lines would become one.
  return result.every((line, index) => index === result.length - 1 || line.endsWith('\n')) ? result.join('') : null
}
