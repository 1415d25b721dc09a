import { headerLine, listSegments, readHeader, type Size } from './segment.ts'
import { open } from 'node:fs/promises'
import { asVersion3 } from './cast-version-3.ts'

/** 2 counts times from the start, 3 from the event before. */
export type CastVersion = 2 | 3

/** A whole recording as one asciicast: its segments joined. */
export function castOf(directory: string, version: CastVersion = 2): ReadableStream<Uint8Array> {
  return ReadableStream.from(version === 3 ? asVersion3(pieces(directory)) : pieces(directory))
}

/** In version 2, times counted from the first segment; whole lines at a time. */
async function* pieces(directory: string): AsyncGenerator<Uint8Array> {
  let startedMs: number | null = null
  let size: Size | null = null
  for (const segment of await listSegments(directory)) {
    const head = await readHeader(segment)
    if (!head) continue
    const { header, bytes } = head
    if (startedMs === null) yield Buffer.from(headerLine(header))
    startedMs ??= header.startedMs
    const shift = Math.max(0, header.startedMs - startedMs) / 1000
    const isResized = size !== null && (size.cols !== header.cols || size.rows !== header.rows)
    size = { cols: header.cols, rows: header.rows }
    if (isResized) yield Buffer.from(`[${shift},"r","${size.cols}x${size.rows}"]\n`)
    for await (const lines of openLines(segment.path, bytes)) {
      yield shift === 0 ? lines : Buffer.from(shifted(lines.toString(), shift))
      size = lastSize(lines) ?? size
    }
  }
}

const shifted = (lines: string, seconds: number): string =>
  lines.replaceAll(/^\[([\d.]+)/gm, (_, time: string) => `[${Number((Number(time) + seconds).toFixed(6))}`)

function lastSize(lines: Buffer): Size | null {
  const at = lines.lastIndexOf(',"r","')
  const found = at < 0 ? null : /^,"r","(\d+)x(\d+)"\]\n/.exec(lines.toString('latin1', at, at + 32))
  return found ? { cols: Number(found[1]), rows: Number(found[2]) } : null
}

const blockBytes = 256 * 1024
const longestLine = 16 * 1024 * 1024

/** The complete lines of a file from a position on, many at a time. An incomplete last line is left out. */
async function* openLines(path: string, from: number): AsyncGenerator<Buffer, void, void> {
  let file
  try {
    file = await open(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await using _ = file
  let position = from
  let length = blockBytes
  while (length <= longestLine) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
    const end = buffer.subarray(0, bytesRead).lastIndexOf(10)
    if (end >= 0) {
      yield buffer.subarray(0, end + 1)
      position += end + 1
      length = blockBytes
    } else if (bytesRead < length) return
    else length *= 4
  }
}
