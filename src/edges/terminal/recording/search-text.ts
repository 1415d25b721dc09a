/**
 * The lines of a segment as a person would have read them, in lower case, kept beside it: rendering them takes most of a
 * search. A search looks for bytes in it, and renders only what it found from the segment itself.
 *
 * It covers a segment up to a position. The segment may have grown since; then the rest is read as if there were no such
 * file. Everything in it is derived: if it is missing, torn or does not belong to its segment, it is made again.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { isList, isRecord, jsonOrNull } from '../../../lib/parse-json.ts'
import type { PlainLine } from './plain-lines.ts'
import type { Placed } from './scan.ts'
import { searchTextPath, type Segment } from './segment.ts'
import { writeSidecar, type SidecarReader } from './sidecar.ts'

/** A line that reading can start at. */
export type LinePoint = {
  /** How many lines are before it, and how many bytes of the search text. */
  readonly line: number
  readonly text: number
  /** The event with its first byte: its position in the file and its offset. */
  readonly position: number
  readonly eventOffset: number
  /** The offset and the time of the line itself. */
  readonly offset: number
  readonly atMs: number
}

export type SearchText = {
  /** How much of the segment's file it covers. */
  readonly position: number
  /** Points at least `pointEvery` apart, the first of them at the first line. */
  readonly points: readonly LinePoint[]
  /** Where more lines will begin: at the last line if that has not ended. */
  readonly end: LinePoint
  readonly lines: number
  /** Every line, each ended by LF. */
  readonly body: Buffer
}

const pointEvery = 64 * 1024
/** Shorter segments are read as quickly as this. */
export const leastBytes = 32 * 1024

type StoredHead = { position: number; tail: number; lines: number; points: number[][]; end: number[] }

const isNumbers = (value: unknown): value is number[] => isList(value) && value.every((one) => typeof one === 'number')
const isHead = (value: unknown): value is StoredHead =>
  isRecord(value) &&
  ['position', 'tail', 'lines'].every((name) => typeof value[name] === 'number') &&
  isNumbers(value['end']) &&
  isList(value['points']) &&
  value['points'].every(isNumbers)

const flat = ({ line, text, position, eventOffset, offset, atMs }: LinePoint): number[] => [
  line,
  text,
  position,
  eventOffset,
  offset,
  atMs,
]
const pointOf = ([line = 0, text = 0, position = 0, eventOffset = 0, offset = 0, atMs = 0]: number[]): LinePoint => ({
  line,
  text,
  position,
  eventOffset,
  offset,
  atMs,
})

/** Null if there is none for this segment as it is now. */
export function readSearchText(reader: SidecarReader, segment: Segment & { bytes: number }): SearchText | null {
  const found = reader.read(searchTextPath(segment))
  const head = found && jsonOrNull(found.head, isHead)
  if (!found || !head || head.position > segment.bytes) return null
  if (head.tail !== tailOf(segment, head.position)) return null
  const { position, lines } = head
  return { position, lines, points: head.points.map(pointOf), end: pointOf(head.end), body: found.body }
}

const tailBytes = 512

/** A checksum of the last bytes before a position: a segment that was cut and continued has others. */
export function tailOf(segment: Segment, position: number): number | null {
  const bytes = Buffer.alloc(Math.min(tailBytes, position))
  let fd: number
  try {
    fd = openSync(segment.path, 'r')
  } catch {
    return null
  }
  try {
    const count = readSync(fd, bytes, 0, bytes.length, position - bytes.length)
    return count === bytes.length ? crc32(bytes) : null
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}

/** Collects the lines of a segment while they are read. */
export type SearchTextBuilder = {
  event(event: Placed): void
  line(line: PlainLine): void
  /** Writes it. `rest` are the lines that have not ended; `at` is where reading stopped. */
  finish(rest: readonly PlainLine[], at: { position: number; offset: number }): void
}

/** Continues an older one if there is one: the caller reads from its `end`. */
export function buildSearchText(segment: Segment, from: SearchText | null): SearchTextBuilder {
  const points = (from?.points ?? []).filter(({ line }) => line < (from?.end.line ?? 0))
  const texts: string[] = []
  let line = from?.end.line ?? 0
  let text = from?.end.text ?? 0
  let last: LinePoint | null = null
  let isInOrder = true
  /** Events that may hold the start of the next line. */
  let events: { offset: number; position: number }[] = []

  function add({ text: shown, offset, atMs }: PlainLine): void {
    if (last === null || offset !== last.offset) {
      const next = events.findLastIndex((event) => event.offset <= offset)
      if (next > 0) events = events.slice(next)
      const { position = 0, offset: eventOffset = 0 } = events[0] ?? {}
      if (atMs < (last?.atMs ?? from?.end.atMs ?? 0)) isInOrder = false
      last = { line, text, position, eventOffset, offset, atMs }
      if (text - (points.at(-1)?.text ?? -pointEvery) >= pointEvery) points.push(last)
    }
    const lower = `${shown.toLowerCase()}\n`
    texts.push(lower)
    line += 1
    text += Buffer.byteLength(lower)
  }

  return {
    event({ bytes, offset, position }) {
      if (bytes > 0) events.push({ offset, position })
    },
    line: add,
    finish(rest, { position, offset }) {
      let end: LinePoint = { line, text, position, eventOffset: offset, offset, atMs: last?.atMs ?? 0 }
      for (const [index, one] of rest.entries()) {
        add(one)
        if (index === 0 && last) end = last
      }
      const tail = tailOf(segment, position)
      // A search by time relies on the order.
      if (!isInOrder || tail === null) return
      const head: StoredHead = { position, tail, lines: line, points: points.map(flat), end: flat(end) }
      const body = Buffer.concat([
        from?.body.subarray(0, from.end.text) ?? Buffer.alloc(0),
        Buffer.from(texts.join('')),
      ])
      writeSidecar(searchTextPath(segment), { head: JSON.stringify(head), body }, segment)
    },
  }
}
