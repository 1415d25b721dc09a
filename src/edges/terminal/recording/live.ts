import type { WakeSignal } from '../../../lib/wake-signal.ts'
import { holderOf } from './read.ts'
import { openScan, type Placed, type Scan } from './scan.ts'
import { listSegments, type Segment } from './segment.ts'

export type LivePiece = {
  readonly offset: number
  /** Empty if only the size changed. */
  readonly text: string
  readonly atMs: number
  readonly epoch: number
  readonly size: { readonly cols: number; readonly rows: number } | null
}

export type LiveDeps = {
  /** Rung when more was written. It is also checked once a second. */
  readonly wake: WakeSignal
  /** True when nothing more will be written: then it ends with the recording. */
  readonly ended?: () => boolean
  readonly signal: AbortSignal
}

const lookMs = 1000
type At = { segment: Segment; scan: Scan; offset: number }

/** A recording from an offset on, while it grows. A slow reader delays only itself. */
export async function* liveOf(directory: string, from: number, deps: LiveDeps): AsyncGenerator<LivePiece, void, void> {
  const { wake, signal } = deps
  let at: At | null = null
  let offset = from
  try {
    while (!signal.aborted) {
      const known = wake.count()
      const ended = deps.ended?.() ?? false
      at ??= await openAt(directory, offset)
      const events = at ? await at.scan.next() : null
      if (at && events) {
        for (const event of events) {
          const piece = pieceOf(event, offset, at.scan.header.epoch)
          if (!piece) continue
          offset = piece.offset + Buffer.byteLength(piece.text)
          yield piece
          if (signal.aborted) return
        }
        continue
      }
      const next: At | null = at ? await after(directory, at) : null
      if (at && next) {
        await at.scan[Symbol.asyncDispose]()
        at = next
        offset = Math.max(offset, next.segment.start)
        yield { offset, text: '', atMs: next.scan.header.startedMs, epoch: next.scan.header.epoch, size: sizeOf(next) }
        continue
      }
      if (ended) return
      await wake.after(known, lookMs, signal)
    }
  } finally {
    await at?.scan[Symbol.asyncDispose]()
  }
}

const sizeOf = ({ scan: { header } }: At) => ({ cols: header.cols, rows: header.rows })

async function openAt(directory: string, offset: number): Promise<At | null> {
  const segment = holderOf(await listSegments(directory), offset)
  const scan = segment && (await openScan(segment, offset))
  return segment && scan ? { segment, scan, offset } : null
}

/** The next segment, when this one was read to its end or is gone. */
async function after(directory: string, at: At): Promise<At | null> {
  const segments = await listSegments(directory)
  const next = segments.find(({ start }) => start > at.segment.start)
  if (!next) return null
  const isGone = !segments.some(({ start }) => start === at.segment.start)
  if (at.scan.offset < next.start && !isGone) return null
  const scan = await openScan(next, next.start)
  return scan && { segment: next, scan, offset: next.start }
}

function pieceOf(event: Placed, from: number, epoch: number): LivePiece | null {
  const { offset, bytes, text, atMs, size } = event
  if (size) return { offset: Math.max(offset, from), text: '', atMs, epoch, size }
  if (offset + bytes <= from) return null
  if (offset >= from) return { offset, text, atMs, epoch, size: null }
  const encoded = Buffer.from(text)
  let at = from - offset
  while (at < encoded.length && ((encoded[at] ?? 0) & 0xc0) === 0x80) at += 1
  return { offset: offset + at, text: encoded.toString('utf8', at), atMs, epoch, size: null }
}
