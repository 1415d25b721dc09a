/**
 * The recording of one terminal: what readers of all kinds read, each at their own pace.
 *
 * - offset: a position in the recording's text, in UTF-8 bytes of what was captured (secrets masked). Never goes back.
 * - epoch: how often the source began anew, because a followed file was truncated or replaced. A program's terminal has
 *   one epoch. The recording goes on through epochs; each begins a segment, and no piece given to a reader crosses one.
 * - A reader holds both. Where the text at their offset belongs to a newer epoch they are told (`truncated`, and the
 *   epoch) and go on at its first byte; where their text was removed to make room, at the first that is left.
 *
 * On disk: segments, asciicast v2 each, named by their first offset, with marks beside them that make seeking quick.
 */
import { ok, type Fault, type Result } from '../../../lib/result.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createPool } from '../../../lib/pool.ts'
import { createBlockWriter, type Block } from './block-writer.ts'
import { cutBefore } from './cut.ts'
import { outputLine, outputStart, resizeLine } from './event.ts'
import { encodedJson } from './json-bytes.ts'
import { keepWithin } from './keep-within.ts'
import { reopen } from './reopen.ts'
import { headerLine, segmentAt, type SegmentHeader, type Size } from './segment.ts'
import { markEvery, type Mark } from './sparse-index.ts'
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
    /** The place in the source where a new recording begins; null where it has no places. */
    readonly source?: number | null
  }
  readonly limits?: RecordingLimits
  readonly clock: Clock
  /** Told when writing fails (a full disk), and null once it goes on. */
  readonly trouble?: (fault: Fault | null) => void
}

export type Recording = {
  /** The first offset still on disk. */
  readonly from: number
  readonly to: number
  /** Up to here it is in the files: what came from the source until then may be acknowledged. */
  readonly durable: number
  readonly epoch: number
  /** The offset at which the epoch began. */
  readonly epochFrom: number
  /** The place in the source that belongs to `to`; null where it has no places. */
  readonly source: number | null
  readonly size: Size
  /** What was recorded last before it was opened, some KB: a capture goes on from there. */
  readonly before: string
  /** `encoded` is the same text in UTF-8, where it is at hand. False: enough is waiting to be written; wait for `room` before the next. Nothing is dropped either way. */
  write(text: string, atMs: number, encoded?: Buffer): boolean
  resize(cols: number, rows: number, atMs: number): void
  /** The source began anew; `source` is the place of what is written next. */
  begin(epoch: number, source: number | null): void
  /** Something in the source was left out: what is written next stands at this place. */
  skipTo(source: number): void
  /** Resolves once `write` would say true; while the disk is full, that may be long. */
  room(): Promise<void>
  /** Resolves once all written so far is in the files, however long that takes. */
  flush(): Promise<void>
  /** Tries once more to write what is left. A fault: what comes after `durable` was not written. */
  close(): Promise<Result<void>>
}

/** How long text may wait in memory, and how much is written at once. */
const waitMs = 50
const writeAt = 256 * 1024
const mostWaiting = 4 * megabyte
const longestEvent = 96 * 1024
/** For all recordings: a block is soon written, and free for the next. */
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

  /** A block with so much room left; what is in the last one goes out where it is not. */
  function blockFor(bytes: number): Block {
    if (block && block.data.length - block.bytes < bytes) send()
    const data = () => (bytes <= writeAt ? pool.take() : Buffer.allocUnsafeSlow(bytes))
    block ??= { segment, position, data: data(), bytes: 0, marks: [], to }
    timer ??= clock.at(clock.now() + waitMs, send)
    return block
  }

  /** In parts, so that long text is not copied once more just to be joined. */
  function append(parts: readonly string[], mark: Mark | null): void {
    const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
    const into = blockFor(bytes)
    for (const part of parts) into.bytes += into.data.write(part, into.bytes)
    if (mark) into.marks.push(mark)
    into.to = to
    position += bytes
  }

  /** As `append`, for text that is there in UTF-8 already. */
  function appendEncoded(start: string, text: Buffer, mark: Mark | null): void {
    const line = `${start}${encodedJson(text)}]\n`
    const into = blockFor(line.length)
    into.bytes += into.data.write(line, into.bytes, 'latin1')
    if (mark) into.marks.push(mark)
    into.to = to
    position += line.length
  }

  /** A file begins with the first thing in it: nothing printed, no file. */
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

  /** Files end with a line where that is possible soon, so that no line lies in two. */
  function rollWhereFull(): void {
    const soft = limits.segmentBytes - limits.segmentBytes / 16
    if (position < soft || to === segment.start) return
    if (endsLine || position >= limits.segmentBytes) roll({})
  }

  /** Time does not go back within a file, whatever the clock does. */
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
      // Where the file has not begun, its header will say so.
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
