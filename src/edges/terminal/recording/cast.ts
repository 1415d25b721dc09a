import { openLines } from './cast-lines.ts'
import { headerLine, listSegments, readHeader, type Size } from './segment.ts'

/** A whole recording as one asciicast v2: its segments joined, times counted from the first. */
export function castOf(directory: string): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces(directory))
}

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
