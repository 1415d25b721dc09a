import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'

/** One file of a recording: a complete asciicast, named by the offset of its first byte of text. */
export type Segment = { readonly start: number; readonly path: string }

export type Size = { readonly cols: number; readonly rows: number }

/** The first line of a segment. */
export type SegmentHeader = Size & {
  readonly title: string | null
  readonly env: Readonly<Record<string, string>>
  /** When it began; the times of its events count from here. */
  readonly startedMs: number
  readonly epoch: number
  /** The offset at which this epoch began, perhaps some segments ago. */
  readonly epochFrom: number
  /** The position in the source of the segment's first byte; null if the source has no positions. */
  readonly source: number | null
}

const Header = z.object({
  version: z.literal(2),
  width: z.number(),
  height: z.number(),
  timestamp: z.number(),
  title: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  signalbox: z
    .object({ ms: z.number(), epoch: z.number(), epochFrom: z.number(), source: z.number().nullable() })
    .optional(),
})

const digits = 12
const name = /^(\d{12})\.cast$/
/** A header line is never longer: env and title are cut much earlier. */
const longestHeader = 64 * 1024

export const segmentAt = (directory: string, start: number): Segment => ({
  start,
  path: join(directory, `${String(start).padStart(digits, '0')}.cast`),
})

export const indexPath = (segment: Segment): string => segment.path.replace(/\.cast$/, '.index')

/** What a search keeps of a segment, so that it need not be read again: `search-text.ts`. */
export const searchTextPath = (segment: Segment): string => segment.path.replace(/\.cast$/, '.text')
export const searchWordsPath = (segment: Segment): string => segment.path.replace(/\.cast$/, '.words')

/** Removes a segment and everything kept beside it. */
export async function removeSegment(segment: Segment): Promise<void> {
  for (const path of [segment.path, indexPath(segment), searchTextPath(segment), searchWordsPath(segment)])
    await rm(path, { force: true })
}

/** Oldest first; none if there is no such directory. */
export async function listSegments(directory: string): Promise<Segment[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  return names
    .flatMap((file) => name.exec(file)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
    .map((start) => segmentAt(directory, start))
}

export function headerLine(header: SegmentHeader): string {
  const { cols, rows, title, env, startedMs, epoch, epochFrom, source } = header
  const line = {
    version: 2,
    width: cols,
    height: rows,
    timestamp: Math.floor(startedMs / 1000),
    ...(title ? { title: title.slice(0, 1000) } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    signalbox: { ms: startedMs, epoch, epochFrom, source },
  }
  return `${JSON.stringify(line)}\n`
}

/** Null if the line is not a header. */
export function parseHeader(line: string, segment: Segment): SegmentHeader | null {
  const found = jsonOrNull(line, Header)
  if (!found) return null
  const { width, height, timestamp, title, env, signalbox } = found
  return {
    cols: width,
    rows: height,
    title: title ?? null,
    env: env ?? {},
    startedMs: signalbox?.ms ?? timestamp * 1000,
    epoch: signalbox?.epoch ?? 0,
    epochFrom: signalbox?.epochFrom ?? segment.start,
    source: signalbox?.source ?? null,
  }
}

/** The header and its size in bytes; null if there is none yet, or the segment is gone. */
export async function readHeader(segment: Segment): Promise<{ header: SegmentHeader; bytes: number } | null> {
  try {
    await using file = await open(segment.path)
    for (let size = 4096; size <= longestHeader; size *= 4) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, 0)
      const end = buffer.subarray(0, bytesRead).indexOf(10)
      if (end >= 0) {
        const header = parseHeader(buffer.toString('utf8', 0, end), segment)
        return header && { header, bytes: end + 1 }
      }
      if (bytesRead < size) return null
    }
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
