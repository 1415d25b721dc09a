import { stat } from 'node:fs/promises'
import { ok, type Result, fail } from '../../../lib/result.ts'
import { createPlainLines, type PlainLine } from './plain-lines.ts'
import { openScan } from './scan.ts'
import { listSegments, readHeader, type Segment } from './segment.ts'
import { editDistance } from '../../../lib/edit-distance.ts'
import { RE2JS, RE2JSException } from 're2js'

export type SearchInput = {
  readonly query: string
  readonly regex: boolean
  /** Milliseconds since 1970, both ends included. */
  readonly since?: number
  readonly until?: number
  readonly contextLines: number
  readonly maxResults: number
  readonly signal?: AbortSignal
  /** Its limits. Beyond them the result is what was found so far. */
  readonly budget?: { readonly ms: number; readonly bytes: number }
}

export type SearchMatch = {
  readonly directory: string
  readonly line: string
  readonly offset: number
  readonly epoch: number
  readonly atMs: number
  readonly before: readonly string[]
  readonly after: readonly string[]
}

export type SearchAnswer = {
  /** Newest first. */
  readonly matches: readonly SearchMatch[]
  /** Similar words that do occur, if nothing was found. */
  readonly didYouMean: readonly string[]
  /** Not everything was searched or returned. */
  readonly truncated: boolean
}

const defaultBudget = { ms: 5000, bytes: 512 * 1024 * 1024 }
/** A part of the output is enough for suggestions. */
const wordBytes = 8 * 1024 * 1024
const longestLine = 2000

type TimedSegment = Segment & { directory: string; fromMs: number; toMs: number; bytes: number }

export async function searchRecordings(
  directories: readonly string[],
  input: SearchInput,
): Promise<Result<SearchAnswer>> {
  const test = lineTest(input.query, input.regex)
  if (!test.ok) return test
  const budget = input.budget ?? defaultBudget
  const deadline = performance.now() + budget.ms
  const places = await placesOf(directories, input)
  const isOver = (bytes: number) =>
    bytes > budget.bytes || performance.now() > deadline || (input.signal?.aborted ?? false)
  let matches: SearchMatch[] = []
  let bytes = 0
  let truncated = false
  for (const place of places) {
    const oldest = matches.length >= input.maxResults ? matches.at(-1) : undefined
    // Newest segments first: the rest contains nothing newer.
    if (oldest && place.toMs < oldest.atMs) {
      truncated = true
      break
    }
    const found = await searchIn(place, input, test.value, () => isOver(bytes + place.bytes))
    bytes += place.bytes
    matches = [...matches, ...found.matches].sort(newestFirst)
    truncated ||= matches.length > input.maxResults || found.truncated
    matches = matches.slice(0, input.maxResults)
    if (isOver(bytes)) {
      truncated ||= place !== places.at(-1)
      break
    }
  }
  const didYouMean = matches.length > 0 ? [] : await suggestions(places, input, () => isOver(0))
  return ok({ matches, didYouMean, truncated })
}

const newestFirst = (a: SearchMatch, b: SearchMatch): number => b.atMs - a.atMs || b.offset - a.offset

/** The segments within the requested time, last written first. */
async function placesOf(directories: readonly string[], input: SearchInput): Promise<TimedSegment[]> {
  const places: TimedSegment[] = []
  for (const directory of new Set(directories)) {
    for (const segment of await listSegments(directory)) {
      const head = await readHeader(segment)
      const found = head && (await stat(segment.path).catch(() => null))
      if (!head || !found) continue
      const place = { ...segment, directory, fromMs: head.header.startedMs, toMs: found.mtimeMs + 1, bytes: found.size }
      if (place.fromMs > (input.until ?? Infinity) || place.toMs < (input.since ?? 0)) continue
      places.push(place)
    }
  }
  return places.sort((a, b) => b.toMs - a.toMs)
}

type SegmentMatches = { matches: SearchMatch[]; truncated: boolean }

/** The last matches of the segment, up to the requested number, with the lines around them. */
async function searchIn(
  place: TimedSegment,
  input: SearchInput,
  test: LineTest,
  isOver: () => boolean,
): Promise<SegmentMatches> {
  const context = input.contextLines
  const recent: string[] = []
  const waiting: { after: string[] }[] = []
  let matches: SearchMatch[] = []
  let truncated = false

  function look(line: PlainLine, epoch: number): void {
    const text = line.text.length > longestLine ? `${line.text.slice(0, longestLine)}…` : line.text
    for (const match of waiting) match.after.push(text)
    while (waiting[0] && waiting[0].after.length >= context) waiting.shift()
    if (isWithin(line.atMs, input) && test(line.text)) {
      const after: string[] = []
      const { offset, atMs } = line
      matches.push({ directory: place.directory, line: text, offset, epoch, atMs, before: [...recent], after })
      if (context > 0) waiting.push({ after })
      if (matches.length > 2 * input.maxResults) {
        matches = matches.slice(-input.maxResults)
        truncated = true
      }
    }
    recent.push(text)
    if (recent.length > context) recent.shift()
  }

  const isWhole = await eachLine(place, look, isOver)
  if (matches.length > input.maxResults) truncated = true
  return { matches: matches.slice(-input.maxResults), truncated: truncated || !isWhole }
}

const isWithin = (ms: number, input: SearchInput): boolean =>
  ms >= (input.since ?? -Infinity) && ms <= (input.until ?? Infinity)

/** False if it stopped before the end. */
async function eachLine(
  place: TimedSegment,
  look: (line: PlainLine, epoch: number) => void,
  isOver: () => boolean,
): Promise<boolean> {
  await using scan = await openScan(place, 0)
  if (!scan) return true
  const lines = createPlainLines()
  const { epoch } = scan.header
  for (let events = await scan.next(); events; events = await scan.next()) {
    for (const event of events) {
      for (const line of lines.push(event.text, event.offset, event.atMs)) look(line, epoch)
    }
    if (isOver()) return false
  }
  for (const line of lines.rest()) look(line, epoch)
  return true
}

async function suggestions(
  places: readonly TimedSegment[],
  input: SearchInput,
  isOver: () => boolean,
): Promise<string[]> {
  if (input.regex) return []
  const words = createWords()
  let bytes = 0
  for (const place of places) {
    await eachLine(place, (line) => words.add(line.text), isOver)
    bytes += place.bytes
    if (bytes > wordBytes || isOver()) break
  }
  return words.nearest(input.query)
}

const mostWords = 50_000
const word = /[\p{L}\p{N}_-]{3,40}/gu

type Words = { add(line: string): void; nearest(query: string): string[] }

/** Words that were seen, to suggest one for a typo. */
function createWords(): Words {
  const seen = new Map<string, number>()
  return {
    add(line) {
      for (const [found] of line.toLowerCase().matchAll(word)) {
        const count = seen.get(found)
        if (count !== undefined || seen.size < mostWords) seen.set(found, (count ?? 0) + 1)
      }
    },
    nearest(query) {
      const wanted = query.toLowerCase().match(word) ?? []
      const near = wanted.flatMap((one) =>
        [...seen].flatMap(([other, count]) => {
          const most = one.length <= 4 ? 1 : 2
          const far = editDistance(one, other, most)
          return far > 0 && far <= most ? [{ other, far, count }] : []
        }),
      )
      near.sort((a, b) => a.far - b.far || b.count - a.count || (a.other < b.other ? -1 : 1))
      return [...new Set(near.map(({ other }) => other))].slice(0, 3)
    },
  }
}

/** Whether a line matches. */
type LineTest = (line: string) => boolean

const longestPattern = 1000

/** Words in either case, or a regular expression in linear time. */
function lineTest(query: string, regex: boolean): Result<LineTest> {
  if (query === '') return fail({ kind: 'invalid', code: 'invalid_query', message: 'The search text is empty.' })
  if (!regex) {
    const wanted = query.toLowerCase()
    return ok((line) => line.length >= query.length && line.toLowerCase().includes(wanted))
  }
  if (query.length > longestPattern) return invalid(query, 'it is longer than 1,000 characters', longestPattern)
  try {
    const pattern = RE2JS.compile(query)
    return ok((line) => pattern.test(line))
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return invalid(query, error.message, positionOf(query, error))
  }
}

function invalid(query: string, why: string, position: number): Result<LineTest> {
  return fail({
    kind: 'invalid',
    code: 'invalid_regex',
    message: `The regular expression is invalid at character ${position + 1}: ${why}.`,
    hint: 'RE2 syntax: no look-around, no back-references. Without `regex` the text is searched literally.',
    details: { pattern: query.slice(0, longestPattern), position },
  })
}

/** The library names the invalid part, not its position. */
function positionOf(query: string, error: RE2JSException): number {
  const part: unknown = 'input' in error ? error.input : null
  const at = typeof part === 'string' && part !== '' ? query.lastIndexOf(part) : -1
  return Math.max(0, at)
}
