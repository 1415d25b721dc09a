/**
 * The recording of one terminal: what readers of all kinds read, each at their own pace.
 *
 * - offset: a position in the recording's text, in UTF-8 bytes of what was captured (secrets masked). Never goes back.
 * - epoch: how often the source was restarted, because a followed file was truncated or replaced. A program's terminal has
 *   one epoch. The recording continues through epochs; each begins a segment, and no piece for a reader crosses one.
 * - A reader has both. If the text at its offset belongs to a newer epoch, it gets `truncated` and the epoch, and
 *   continues at its first byte; if its text was removed to make room, at the first byte left.
 *
 * On disk: segments in asciicast v2, named by their first offset, with marks beside them for fast seeking.
 */
import { stat } from 'node:fs/promises'
import { ok, type Fault, type Result } from '../../../lib/result.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createPool } from '../../../lib/pool.ts'
import { createBlockWriter, type Block } from './block-writer.ts'
import { cutBefore } from './cut.ts'
import { outputLine, outputStart, resizeLine } from './event.ts'
import { encodedJson } from './json-bytes.ts'
import { reopen } from './reopen.ts'
import {
  headerLine,
  listSegments,
  removeSegment,
  segmentAt,
  type Segment,
  type SegmentHeader,
  type Size,
} from './segment.ts'
import { markEvery, type IndexMark } from './sparse-index.ts'
import { createUntilWritten } from './until-written.ts'

export type RecordingLimits = { readonly segmentBytes: number; readonly totalBytes: number }

const megabyte = 1024 * 1024
export const recordingLimits: RecordingLimits = { segmentBytes: 16 * megabyte, totalBytes: 512 * megabyte }

export type RecordingDeps = {
  readonly directory: string
  readonly header: Size & {
    readonly title: string | null
    readonly env: Readonly<Record<string, string>>
    readonly startedAt: number
    /** The position in the source where a new recording begins; null if the source has no positions. */
    readonly source?: number | null
  }
  readonly limits?: RecordingLimits
  readonly clock: Clock
  /** Called when writing fails (a full disk), and with null when it works again. */
  readonly trouble?: (fault: Fault | null) => void
}

export type Recording = {
  /** The first offset still on disk. */
  readonly from: number
  readonly to: number
  /** Up to here it is in the files: earlier source bytes can be acknowledged. */
  readonly durable: number
  readonly epoch: number
  /** The offset at which the epoch began. */
  readonly epochFrom: number
  /** The position in the source that belongs to `to`; null if the source has no positions. */
  readonly source: number | null
  readonly size: Size
  /** The last KB recorded before it was opened: a capture continues from there. */
  readonly before: string
  /** `encoded` is the same text in UTF-8, if available. False: wait for `room` before the next write. Nothing is dropped either way. */
  write(text: string, atMs: number, encoded?: Buffer): boolean
  resize(cols: number, rows: number, atMs: number): void
  /** The source was restarted; `source` is the position of the next write. */
  begin(epoch: number, source: number | null): void
  /** Part of the source was left out: the next write is at this position. */
  skipTo(source: number): void
  /** Resolves when `write` would return true. With a full disk that can take long. */
  room(): Promise<void>
  /** Resolves when everything written so far is in the files. */
  flush(): Promise<void>
  /** Tries again to write the rest. A fault: nothing after `durable` was written. */
  close(): Promise<Result<void>>
}

/** How long text may wait in memory, and how much is written at once. */
const waitMs = 50
const writeAt = 256 * 1024
const mostWaiting = 4 * megabyte
const longestEvent = 96 * 1024
/** Shared by all recordings: a block is soon written and free again. */
const pool = createPool(writeAt, 8)

export async function openRecording(deps: RecordingDeps): Promise<Recording> {
  const { directory, clock } = deps
  const limits = deps.limits ?? recordingLimits
  const found = await reopen(directory)
  const kept = await keepWithin(directory, limits.totalBytes)
  const output = createUntilWritten({
    clock,
    writer: createBlockWriter(),
    trouble: deps.trouble ?? (() => {}),
    mostWaiting,
    async written(block) {
      kept.grew(block.segment, block.position + block.bytes)
      pool.give(block.data)
      await kept.trim()
    },
  })

  let to = found?.to ?? 0
  let size: Size = found?.size ?? { cols: deps.header.cols, rows: deps.header.rows }
  let segment = found?.segment ?? segmentAt(directory, 0)
  let header: SegmentHeader = found?.header ?? {
    ...size,
    title: deps.header.title,
    env: deps.header.env,
    startedMs: deps.header.startedAt,
    epoch: 0,
    epochFrom: 0,
    source: deps.header.source ?? null,
  }
  let hasBegun = found !== null
  let position = found?.position ?? 0
  let lastMs = found?.lastMs ?? 0
  let lastMark = found?.lastMark ?? 0
  let endsLine = found ? found.tail.endsWith('\n') : true
  let block: Block | null = null
  let timer: Disposable | null = null
  output.startAt(to)

  function send(): void {
    timer?.[Symbol.dispose]()
    timer = null
    if (block) output.put(block)
    block = null
  }

  /** A block with enough room; if the last one has too little, it is written out. */
  function blockFor(bytes: number): Block {
    if (block && block.data.length - block.bytes < bytes) send()
    const data = () => (bytes <= writeAt ? pool.take() : Buffer.allocUnsafeSlow(bytes))
    block ??= { segment, position, data: data(), bytes: 0, marks: [], to }
    timer ??= clock.at(clock.now() + waitMs, send)
    return block
  }

  /** In parts, so that long text is not copied to be joined. */
  function append(parts: readonly string[], mark: IndexMark | null): void {
    const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
    const into = blockFor(bytes)
    for (const part of parts) into.bytes += into.data.write(part, into.bytes)
    if (mark) into.marks.push(mark)
    into.to = to
    position += bytes
  }

  /** Like `append`, for text that is already in UTF-8. */
  function appendEncoded(start: string, text: Buffer, mark: IndexMark | null): void {
    const line = `${start}${encodedJson(text)}]\n`
    const into = blockFor(line.length)
    into.bytes += into.data.write(line, into.bytes, 'latin1')
    if (mark) into.marks.push(mark)
    into.to = to
    position += line.length
  }

  /** A file is created with its first event: without output there is no file. */
  function beginFile(atMs: number): void {
    if (position > 0) return
    const startedMs = hasBegun ? Math.max(atMs, header.startedMs + lastMs) : header.startedMs
    header = { ...header, ...size, startedMs }
    hasBegun = true
    lastMs = 0
    append([headerLine(header)], null)
  }

  function roll(change: Partial<SegmentHeader>): void {
    send()
    header = { ...header, source: placeNow(), ...change }
    segment = segmentAt(directory, to)
    position = 0
    lastMark = to
  }

  const placeNow = () => (header.source === null ? null : header.source + to - segment.start)

  /** If possible, files end at a line end, so that no line is split over two. */
  function rollWhereFull(): void {
    const soft = limits.segmentBytes - limits.segmentBytes / 16
    if (position < soft || to === segment.start) return
    if (endsLine || position >= limits.segmentBytes) roll({})
  }

  /** Time never goes back within a file, even if the clock does. */
  function since(atMs: number): number {
    lastMs = Math.max(lastMs, atMs - header.startedMs)
    return lastMs
  }

  function writeEvent(text: string, atMs: number, encoded?: Buffer): void {
    rollWhereFull()
    beginFile(atMs)
    const ms = since(atMs)
    const mark = to - lastMark >= markEvery ? { offset: to, position, ms } : null
    if (mark) lastMark = to
    to += encoded?.length ?? Buffer.byteLength(text)
    endsLine = text.endsWith('\n')
    if (encoded) appendEncoded(outputStart(ms), encoded, mark)
    else append(outputLine(ms, text), mark)
  }

  if (found && (size.cols !== deps.header.cols || size.rows !== deps.header.rows)) {
    size = { cols: deps.header.cols, rows: deps.header.rows }
    append([resizeLine(since(clock.now()), size)], null)
  }

  return {
    get from() {
      return kept.from
    },
    get to() {
      return to
    },
    get durable() {
      return output.durable
    },
    get epoch() {
      return header.epoch
    },
    get epochFrom() {
      return header.epochFrom
    },
    get source() {
      return placeNow()
    },
    before: found?.tail ?? '',
    get size() {
      return size
    },
    write(text, atMs, encoded) {
      if (encoded && text !== '' && encoded.length <= longestEvent) {
        writeEvent(text, atMs, encoded)
        return output.hasRoom
      }
      let rest = text
      while (rest.length > longestEvent) {
        const cut = cutBefore(rest, longestEvent)
        writeEvent(rest.slice(0, cut), atMs)
        rest = rest.slice(cut)
      }
      if (rest) writeEvent(rest, atMs)
      return output.hasRoom
    },
    resize(cols, rows, atMs) {
      if (size.cols === cols && size.rows === rows) return
      size = { cols, rows }
      // If there is no file yet, its header will say so.
      if (position > 0) append([resizeLine(since(atMs), size)], null)
    },
    begin(epoch, source) {
      roll({ epoch, epochFrom: to, source })
    },
    skipTo(source) {
      if (source !== placeNow()) roll({ source })
    },
    room: () => output.room(),
    flush() {
      send()
      return output.flush()
    },
    async close() {
      send()
      const fault = await output.close()
      return fault ? { ok: false, fault } : ok(undefined)
    },
  }
}

/** Even a short file takes a block of the disk. */
const least = 4096

type Kept = {
  /** The first offset that is left. */
  readonly from: number
  grew(segment: Segment, bytes: number): void
  /** Removes the oldest segments until the rest is within the limit; never the newest. */
  trim(): Promise<void>
}

async function keepWithin(directory: string, mostBytes: number): Promise<Kept> {
  const sizes = new Map<number, { segment: Segment; bytes: number }>()
  for (const segment of await listSegments(directory)) {
    const found = await stat(segment.path).catch(() => null)
    if (found) sizes.set(segment.start, { segment, bytes: found.size })
  }
  const total = () => sizes.values().reduce((sum, { bytes }) => sum + Math.max(bytes, least), 0)

  return {
    get from() {
      return sizes.keys().next().value ?? 0
    },
    grew(segment, bytes) {
      sizes.set(segment.start, { segment, bytes })
    },
    async trim() {
      let over = total() - mostBytes
      while (over > 0 && sizes.size > 1) {
        const [oldest] = sizes.values()
        if (!oldest) return
        await removeSegment(oldest.segment)
        sizes.delete(oldest.segment.start)
        over -= Math.max(oldest.bytes, least)
      }
    },
  }
}
