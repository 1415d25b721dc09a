import { isList, jsonOrNull } from '../../lib/parse-json.ts'

/** Printed text, and when. */
export type Printed = { seconds: number; text: string }

/** Reads asciicast v2 as a stream; only output events count. */
export async function* printedIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Printed> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const printed = printedOn(line)
      if (printed) yield printed
    }
  }
  const last = printedOn(rest)
  if (last) yield last
}

function printedOn(line: string): Printed | null {
  if (!line.startsWith('[')) return null
  // Null for a line that was being written when it was read.
  const [seconds, kind, text] = jsonOrNull(line, isList) ?? []
  return kind === 'o' && typeof seconds === 'number' && typeof text === 'string' ? { seconds, text } : null
}
