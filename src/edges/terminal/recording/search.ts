import { stat } from 'node:fs/promises'
import { ok, type Result } from '../../../lib/result.ts'
import { lineTest, type LineTest } from './line-test.ts'
import { createPlainLines, type PlainLine } from './plain-lines.ts'
import { quickSearch } from './quick-search.ts'
import { openScan } from './scan.ts'
import { buildSearchText, leastBytes, readSearchText, type SearchTextBuilder } from './search-text.ts'
import { listSegments, readHeader, type Segment } from './segment.ts'
import { createSidecarReader, type SidecarReader } from './sidecar.ts'
import { addKeptWords, createWords, keepWords } from './suggestions.ts'

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

export type RecordingMatches = {
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

type TimedSegment = Segment & { directory: string; epoch: number; fromMs: number; toMs: number; bytes: number }

export async function searchRecordings(
  directories: readonly string[],
  input: SearchInput,
): Promise<Result<RecordingMatches>> {
  const test = lineTest(input.query, input.regex)
  if (!test.ok) return test
  const budget = input.budget ?? defaultBudget
  const deadline = performance.now() + budget.ms
  const places = await placesOf(directories, input)
  const reader = createSidecarReader()
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
    const ask = { input, test: test.value, isOver: () => isOver(bytes + place.bytes) }
    const found = (await searchQuickly(place, reader, ask)) ?? (await searchIn(place, ask))
    bytes += place.bytes
    matches = [...matches, ...found.matches].sort(newestFirst)
    truncated ||= matches.length > input.maxResults || found.truncated
    matches = matches.slice(0, input.maxResults)
    if (isOver(bytes)) {
      truncated ||= place !== places.at(-1)
      break
    }
  }
  const didYouMean = matches.length > 0 ? [] : await suggestions(places, reader, input, () => isOver(0))
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
      const { startedMs: fromMs, epoch } = head.header
      const place = { ...segment, directory, epoch, fromMs, toMs: found.mtimeMs + 1, bytes: found.size }
      if (place.fromMs > (input.until ?? Infinity) || place.toMs < (input.since ?? 0)) continue
      places.push(place)
    }
  }
  return places.sort((a, b) => b.toMs - a.toMs)
}

type Ask = { input: SearchInput; test: LineTest; isOver(): boolean }
type SegmentMatches = { matches: SearchMatch[]; truncated: boolean }

/** By the search text beside the segment. Null if there is none, or it does not help with this query. */
async function searchQuickly(place: TimedSegment, reader: SidecarReader, ask: Ask): Promise<SegmentMatches | null> {
  const { input, isOver } = ask
  const { needle, matches } = ask.test
  if (needle === null || isOver()) return null
  const text = readSearchText(reader, place)
  if (text === null) return null
  const { since = -Infinity, until = Infinity, contextLines, maxResults } = input
  const test = { needle, matches }
  const quick = await quickSearch(place, text, { test, since, until, contextLines, maxResults, isOver })
  if (quick === null) return null
  const { directory, epoch } = place
  const found = quick.found.map(({ line, before, after }) => ({
    directory,
    line: shortened(line),
    offset: line.offset,
    epoch,
    atMs: line.atMs,
    before: before.map(shortened),
    after: after.map(shortened),
  }))
  return { matches: found, truncated: quick.truncated }
}

const shortened = ({ text }: PlainLine): string => (text.length > longestLine ? `${text.slice(0, longestLine)}…` : text)

/** The last matches of the segment, up to the requested number, with the lines around them. */
async function searchIn(place: TimedSegment, { input, test, isOver }: Ask): Promise<SegmentMatches> {
  const context = input.contextLines
  const recent: string[] = []
  const waiting: { after: string[] }[] = []
  let matches: SearchMatch[] = []
  let truncated = false

  function look(line: PlainLine): void {
    const text = shortened(line)
    for (const match of waiting) match.after.push(text)
    while (waiting[0] && waiting[0].after.length >= context) waiting.shift()
    if (isWithin(line.atMs, input) && test.matches(line.text)) {
      const after: string[] = []
      const { directory, epoch } = place
      const { offset, atMs } = line
      matches.push({ directory, line: text, offset, epoch, atMs, before: [...recent], after })
      if (context > 0) waiting.push({ after })
      if (matches.length > 2 * input.maxResults) {
        matches = matches.slice(-input.maxResults)
        truncated = true
      }
    }
    recent.push(text)
    if (recent.length > context) recent.shift()
  }

  // A regular expression that needs every line anyway has no use for a search text.
  const builder = place.bytes >= leastBytes && test.needle !== null ? buildSearchText(place, null) : null
  const isWhole = await eachLine(place, { look, isOver, builder })
  if (matches.length > input.maxResults) truncated = true
  return { matches: matches.slice(-input.maxResults), truncated: truncated || !isWhole }
}

const isWithin = (ms: number, input: SearchInput): boolean =>
  ms >= (input.since ?? -Infinity) && ms <= (input.until ?? Infinity)

/** False if it stopped before the end. */
async function eachLine(
  place: TimedSegment,
  { look, isOver, builder }: { look(line: PlainLine): void; isOver(): boolean; builder: SearchTextBuilder | null },
): Promise<boolean> {
  await using scan = await openScan(place, 0)
  if (!scan) return true
  const lines = createPlainLines()
  for (let events = await scan.next(); events; events = await scan.next()) {
    for (const event of events) {
      builder?.event(event)
      for (const line of lines.push(event.text, event.offset, event.atMs)) {
        builder?.line(line)
        look(line)
      }
    }
    if (isOver()) return false
  }
  const rest = lines.rest()
  for (const line of rest) look(line)
  builder?.finish(rest, { position: scan.position, offset: scan.offset })
  return true
}

async function suggestions(
  places: readonly TimedSegment[],
  reader: SidecarReader,
  input: SearchInput,
  isOver: () => boolean,
): Promise<string[]> {
  if (input.regex) return []
  const words = createWords(input.query)
  let bytes = 0
  for (const place of places) {
    if (!addKeptWords(reader, place, words)) {
      const text = readSearchText(reader, place)
      if (text?.position === place.bytes) {
        words.add(text.body.toString())
        keepWords(place, text)
      } else await eachLine(place, { look: (line) => words.add(line.text.toLowerCase()), isOver, builder: null })
    }
    bytes += place.bytes
    if (bytes > wordBytes || isOver()) break
  }
  return words.nearest()
}
