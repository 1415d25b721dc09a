import { truncate, writeFile } from 'node:fs/promises'
import { openScan } from './scan.ts'
import { indexPath, listSegments, removeSegment, type Segment, type SegmentHeader } from './segment.ts'
import { markLine, readMarks } from './sparse-index.ts'

export type Reopened = {
  readonly segment: Segment
  readonly header: SegmentHeader
  /** The size of the file, without an incomplete end. */
  readonly position: number
  readonly to: number
  /** Milliseconds since the segment's start, of its last event. */
  readonly lastMs: number
  readonly size: { readonly cols: number; readonly rows: number }
  readonly lastMark: number
  /** The last text of it. */
  readonly tail: string
}

/** Where writing continues after a restart. An incomplete end is cut off; null: start a new segment. */
export async function reopen(directory: string): Promise<Reopened | null> {
  const segments = await listSegments(directory)
  for (const segment of segments.toReversed()) {
    const found = await endOf(segment)
    if (found) return found
    // Not even its header was written: nothing was recorded in it.
    await removeSegment(segment)
  }
  return null
}

const tailLength = 8192

/** From the start of a line if there is one, so that nothing in it is incomplete. */
function lastOf(text: string): string {
  if (text.length <= 2 * tailLength) return text
  const cut = text.indexOf('\n', text.length - tailLength)
  return text.slice(cut < 0 ? text.length - tailLength : cut + 1)
}

async function endOf(segment: Segment): Promise<Reopened | null> {
  const scan = await openScan(segment, Infinity)
  if (!scan) return null
  await using _ = scan
  const { header } = scan
  let lastMs = 0
  let size = { cols: header.cols, rows: header.rows }
  let tail = ''
  for (let events = await scan.next(); events; events = await scan.next()) {
    for (const event of events) {
      lastMs = Math.max(lastMs, event.atMs - header.startedMs)
      size = event.size ?? size
      if (event.text) tail = lastOf(tail + event.text)
    }
  }
  await truncate(segment.path, scan.position)
  const marks = await readMarks(segment, scan.position)
  await writeFile(indexPath(segment), marks.map(markLine).join(''), { mode: 0o600 }).catch(() => undefined)
  const lastMark = marks.at(-1)
  return {
    segment,
    header,
    position: scan.position,
    to: scan.offset,
    lastMs: Math.max(lastMs, lastMark?.ms ?? 0),
    size,
    lastMark: lastMark?.offset ?? segment.start,
    tail,
  }
}
