import type { LineTest } from './line-test.ts'
import { createPlainLines, type PlainLine } from './plain-lines.ts'
import { openScan } from './scan.ts'
import { buildSearchText, type LinePoint, type SearchText } from './search-text.ts'
import type { Segment } from './segment.ts'

/** A line that matches, with the lines around it. */
export type FoundLine = {
  readonly line: PlainLine
  readonly before: readonly PlainLine[]
  readonly after: readonly PlainLine[]
}

export type QuickInput = {
  readonly test: LineTest & { readonly needle: Buffer }
  readonly since: number
  readonly until: number
  readonly contextLines: number
  readonly maxResults: number
  isOver(): boolean
}

/** In order; `truncated` if there are more before them, or time was up. */
export type QuickFound = { readonly found: readonly FoundLine[]; readonly truncated: boolean }

/** What is rendered at once to show a match. */
const renderBytes = 128 * 1024
/** With so many lines that only look like a match, reading everything in one go is quicker. */
const mostMistaken = 200
/** So much that is not covered is added to the search text. */
const extendAt = 1024 * 1024

/**
 * The last matches in a segment, found by its search text from the end on. Null if the search text is of no use: it must
 * be read without.
 */
export async function quickSearch(
  segment: Segment & { bytes: number },
  text: SearchText,
  input: QuickInput,
): Promise<QuickFound | null> {
  const { test, maxResults } = input
  const isWhole = text.position === segment.bytes
  const covered = isWhole
    ? { lines: text.lines, bytes: text.body.length }
    : { lines: text.end.line, bytes: text.end.text }
  const rest = isWhole ? [] : await restOf(segment, text)
  if (rest === null) return null
  const line = lineReader(segment, text, { covered: covered.lines, rest })
  const isMatch = ({ atMs, text: shown }: PlainLine) =>
    atMs >= input.since && atMs <= input.until && test.matches(shown)
  /** Numbers of lines, the last first; one more than asked for says that there are more. */
  const numbers: number[] = []
  const isEnough = () => numbers.length > maxResults
  for (let index = rest.length - 1; index >= 0 && !isEnough(); index--) {
    const shown = rest[index]
    if (shown && isMatch(shown)) numbers.push(covered.lines + index)
  }
  let mistaken = 0
  let truncated = false
  if (!isEnough()) {
    const range = rangeOf(text, covered.bytes, input)
    for (const { number, lower } of candidates(text, range, test.needle)) {
      const shown = await line(number)
      // Not what it was made from.
      if (shown === null || !lower.equals(Buffer.from(shown.text.toLowerCase()))) return null
      if (isMatch(shown)) numbers.push(number)
      else mistaken += 1
      if (mistaken > mostMistaken) return null
      if (isEnough()) break
      truncated = input.isOver()
      if (truncated) break
    }
  }
  truncated ||= isEnough()
  const found: FoundLine[] = []
  for (const number of numbers.slice(0, maxResults).toReversed()) {
    const [before, own, after]: [PlainLine[], PlainLine[], PlainLine[]] = [[], [], []]
    for (let near = Math.max(0, number - input.contextLines); near <= number + input.contextLines; near++) {
      const shown = await line(near)
      if (shown !== null) (near < number ? before : near === number ? own : after).push(shown)
    }
    if (own[0] === undefined) return null
    found.push({ line: own[0], before, after })
  }
  return { found, truncated }
}

/** The bytes of the search text whose lines may be within the time. Times never go back within a segment. */
function rangeOf({ points }: SearchText, bytes: number, { since, until }: QuickInput): { from: number; to: number } {
  const first = points.findLast(({ atMs }) => atMs < since)
  const after = points.find(({ atMs }) => atMs > until)
  return { from: first?.text ?? 0, to: Math.min(bytes, after?.text ?? bytes) }
}

/** The lines that contain the needle, the last first. */
function* candidates(
  { body, points }: SearchText,
  { from, to }: { from: number; to: number },
  needle: Buffer,
): Generator<{ number: number; lower: Buffer }, void, void> {
  for (let end = to; end > from;) {
    const at = body.subarray(from, end).lastIndexOf(needle)
    if (at < 0) return
    const start = body.subarray(0, from + at).lastIndexOf(10) + 1
    const point = points.findLast(({ text }) => text <= start)
    if (!point) return
    let number = point.line
    for (let next = body.indexOf(10, point.text); next >= 0 && next < start; next = body.indexOf(10, next + 1))
      number += 1
    yield { number, lower: body.subarray(start, body.indexOf(10, start)) }
    end = start
  }
}

/** The lines after the search text; they become part of it if they are many. Null: the segment is gone. */
async function restOf(segment: Segment & { bytes: number }, text: SearchText): Promise<PlainLine[] | null> {
  await using scan = await openScan(segment, 0, startOf(text.end))
  if (!scan) return null
  const builder = segment.bytes - text.position >= extendAt ? buildSearchText(segment, text) : null
  const lines = createPlainLines()
  const found: PlainLine[] = []
  for (let events = await scan.next(); events; events = await scan.next()) {
    for (const event of events) {
      builder?.event(event)
      for (const line of lines.push(event.text, event.offset, event.atMs)) {
        if (line.offset < text.end.offset) continue
        builder?.line(line)
        found.push(line)
      }
    }
  }
  const unended = lines.rest().filter(({ offset }) => offset >= text.end.offset)
  builder?.finish(unended, { position: scan.position, offset: scan.offset })
  return [...found, ...unended]
}

const startOf = ({ position, eventOffset }: LinePoint) => ({ position, offset: eventOffset })

/** Lines by number, rendered from the segment in groups from one point to the next. */
function lineReader(
  segment: Segment,
  { points, end, lines: count }: SearchText,
  { covered, rest }: { covered: number; rest: readonly PlainLine[] },
): (number: number) => Promise<PlainLine | null> {
  const groups = new Map<number, readonly PlainLine[]>()

  async function group(index: number): Promise<readonly PlainLine[]> {
    const known = groups.get(index)
    if (known) return known
    const point = points[index]
    const wanted = (points[index + 1]?.line ?? Math.max(count, end.line)) - (point?.line ?? 0)
    const lines = point ? await linesFrom(segment, point, wanted) : []
    groups.set(index, lines)
    return lines
  }

  return async (number) => {
    if (number >= covered) return rest[number - covered] ?? null
    const index = points.findLastIndex(({ line }) => line <= number)
    return (await group(index))[number - (points[index]?.line ?? 0)] ?? null
  }
}

/** So many lines from a point on. Reading starts at an event, whose text may begin with the end of another line. */
async function linesFrom(segment: Segment, point: LinePoint, wanted: number): Promise<PlainLine[]> {
  await using scan = await openScan(segment, 0, { ...startOf(point), blockBytes: renderBytes })
  const found: PlainLine[] = []
  if (!scan) return found
  const lines = createPlainLines()
  for (let events = await scan.next(); events && found.length < wanted; events = await scan.next())
    for (const event of events)
      for (const line of lines.push(event.text, event.offset, event.atMs))
        if (line.offset >= point.offset) found.push(line)
  if (found.length < wanted) found.push(...lines.rest().filter(({ offset }) => offset >= point.offset))
  return found
}
