import { cutBefore } from './cut.ts'
import { openScan, type Placed } from './scan.ts'
import { listSegments, readHeader, type Segment } from './segment.ts'

export type ReadInput = {
  readonly from: number
  readonly epoch: number
  readonly maxBytes?: number
  readonly maxLines?: number
}

/** Text printed at one moment. */
export type Part = { readonly text: string; readonly atMs: number }

export type ReadAnswer = {
  readonly text: string
  /** The same text, with when each part of it was printed. */
  readonly parts: readonly Part[]
  /** Where `text` begins. Differs from the requested offset if that is gone or belongs to another epoch. */
  readonly from: number
  /** Where to continue. */
  readonly to: number
  readonly epoch: number
  /** The requested text is gone: removed to make room, or the source was restarted. */
  readonly truncated: boolean
  readonly hasMore: boolean
}

const defaultBytes = 256 * 1024

/** One piece of a recording. It never crosses an epoch, and never cuts a character, a sequence or a CR LF. */
export async function readRecording(directory: string, input: ReadInput): Promise<ReadAnswer> {
  // A segment may be removed between listing and reading; the next attempt finds what is left.
  for (let tries = 0; tries < 5; tries++) {
    const segments = await listSegments(directory)
    const start = await startOf(segments, input)
    if (!start) continue
    const piece = start.segment ? await pieceOf(start.segment, start.from, input) : { parts: [], from: start.from }
    if (!piece) continue
    const text = piece.parts.map((part) => part.text).join('')
    const to = piece.from + Buffer.byteLength(text)
    return {
      text,
      parts: piece.parts,
      from: piece.from,
      to,
      epoch: start.epoch,
      truncated: start.truncated || piece.from < input.from,
      hasMore: ('hasMore' in piece && piece.hasMore) || segments.at(-1) !== start.segment,
    }
  }
  return { text: '', parts: [], from: input.from, to: input.from, epoch: input.epoch, truncated: false, hasMore: true }
}

/** The segment that contains an offset; the oldest if that one is gone. */
export const holderOf = (segments: readonly Segment[], offset: number): Segment | undefined =>
  segments.findLast(({ start }) => start <= offset) ?? segments[0]

type Start = { segment: Segment | undefined; from: number; epoch: number; truncated: boolean }

async function startOf(segments: readonly Segment[], input: ReadInput): Promise<Start | null> {
  const holder = holderOf(segments, input.from)
  if (!holder) return { segment: undefined, from: 0, epoch: input.epoch, truncated: input.from > 0 }
  const head = await readHeader(holder)
  if (!head) {
    // The newest may not have its header yet: then it is empty.
    const isNewest = holder === segments.at(-1)
    return isNewest ? { segment: undefined, from: holder.start, epoch: input.epoch, truncated: false } : null
  }
  const { epoch, epochFrom } = head.header
  if (epoch === input.epoch) {
    const from = Math.max(input.from, holder.start)
    return { segment: holder, from, epoch, truncated: from > input.from }
  }
  const from = Math.max(epochFrom, segments[0]?.start ?? 0)
  return { segment: holderOf(segments, from), from, epoch, truncated: true }
}

type RecordedPiece = { parts: readonly Part[]; from: number; hasMore: boolean }

async function pieceOf(segment: Segment, from: number, input: ReadInput): Promise<RecordedPiece | null> {
  const mostBytes = Math.max(1, input.maxBytes ?? defaultBytes)
  const mostLines = Math.max(1, input.maxLines ?? Infinity)
  await using scan = await openScan(segment, from)
  if (!scan) return null
  const parts: Part[] = []
  let first: number | null = null
  let bytes = 0
  let lines = 0
  for (let events = await scan.next(); events; events = await scan.next()) {
    for (const event of events) {
      if (event.bytes === 0 || event.offset + event.bytes <= from) continue
      const part = partFrom(event, from)
      first ??= part.offset
      const limit = Math.min(lengthWithin(part.text, mostBytes - bytes), lengthOfLines(part.text, mostLines - lines))
      const isWhole = limit >= part.text.length
      const cut = isWhole ? part.text.length : cutWithin(part.text, limit, parts)
      const taken = part.text.slice(0, cut)
      parts.push({ text: taken, atMs: event.atMs })
      bytes += Buffer.byteLength(taken)
      lines += countLines(taken)
      if (!isWhole || (bytes >= mostBytes && taken !== '\r') || lines >= mostLines) {
        const end = event.offset + event.bytes
        return endingWell(parts, first, first + bytes < end || end < scan.offset)
      }
    }
  }
  return { parts, from: first ?? scan.offset, hasMore: false }
}

/** Where to cut an event that does not fit: at its start only if that leaves something, and never between CR and LF. */
function cutWithin(text: string, limit: number, parts: readonly Part[]): number {
  if (limit > 0 || parts.length === 0) return cutBefore(text, limit)
  return parts.length === 1 && parts[0]?.text === '\r' && text.startsWith('\n') ? 1 : 0
}

/** The rest of an event from an offset on, which may point into a character. */
function partFrom(event: Placed, from: number): { text: string; offset: number } {
  if (from <= event.offset) return { text: event.text, offset: event.offset }
  const bytes = Buffer.from(event.text)
  let at = from - event.offset
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1
  return { text: bytes.toString('utf8', at), offset: event.offset + at }
}

/** A CR whose LF is in the next event is left for the next piece. */
function endingWell(parts: readonly Part[], from: number, hasMore: boolean): RecordedPiece {
  const end = parts.findLastIndex(({ text }) => text !== '')
  const last = parts[end]
  const isAlone = last?.text === '\r' && parts.slice(0, end).every(({ text }) => text === '')
  if (!hasMore || isAlone || !last?.text.endsWith('\r')) return { parts, from, hasMore }
  return { parts: [...parts.slice(0, end), { ...last, text: last.text.slice(0, -1) }], from, hasMore }
}

/** How many UTF-16 units of the text fit into a number of bytes. */
function lengthWithin(text: string, bytes: number): number {
  if (text.length * 3 <= bytes) return text.length
  const encoded = Buffer.from(text)
  if (encoded.length <= bytes) return text.length
  let at = Math.max(0, bytes)
  while (at > 0 && ((encoded[at] ?? 0) & 0xc0) === 0x80) at -= 1
  return encoded.toString('utf8', 0, at).length
}

/** How many units the first lines take. */
function lengthOfLines(text: string, lines: number): number {
  if (lines === Infinity) return text.length
  let at = 0
  for (let count = 0; count < lines; count++) {
    const end = text.indexOf('\n', at)
    if (end < 0) return text.length
    at = end + 1
  }
  return at
}

function countLines(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
