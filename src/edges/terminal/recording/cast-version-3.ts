import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'

const Header = z.object({
  width: z.number(),
  height: z.number(),
  timestamp: z.number().optional(),
  title: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
})

/** Pieces of asciicast v2, each of whole lines and the first with the header, as asciicast v3. */
export async function* asVersion3(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let hasHeader = false
  // In microseconds, so that the intervals add up to the time.
  let last = 0
  for await (const piece of pieces) {
    let lines = Buffer.from(piece).toString()
    if (!hasHeader) {
      const end = lines.indexOf('\n') + 1
      yield Buffer.from(headerOf(lines.slice(0, end)))
      lines = lines.slice(end)
      hasHeader = true
    }
    const relative = lines.replaceAll(/^\[([\d.]+)/gm, (_, time: string) => {
      const at = Math.max(last, Math.round(Number(time) * 1e6))
      const interval = (at - last) / 1e6
      last = at
      return `[${interval}`
    })
    if (relative !== '') yield Buffer.from(relative)
  }
}

function headerOf(line: string): string {
  const { width = 80, height = 24, timestamp, title, env } = jsonOrNull(line, Header) ?? {}
  const { TERM: type, ...others } = env ?? {}
  const header = {
    version: 3,
    term: { cols: width, rows: height, ...(type !== undefined && { type }) },
    ...(timestamp !== undefined && { timestamp }),
    ...(title !== undefined && { title }),
    ...(Object.keys(others).length > 0 && { env: others }),
  }
  return `${JSON.stringify(header)}\n`
}
