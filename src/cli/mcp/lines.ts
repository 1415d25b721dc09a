import type { Writable } from 'node:stream'

/** Yields lines without their ending, and null for a skipped line longer than `most` bytes. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, most: number): AsyncGenerator<string | null> {
  let parts: Buffer[] = []
  let bytes = 0
  const finish = (): string | null => {
    const line = bytes > most ? null : Buffer.concat(parts).toString().replace(/\r$/, '')
    parts = []
    bytes = 0
    return line
  }
  // Join only at the end of a line: joining each chunk would copy large messages repeatedly.
  const take = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes > most) parts = []
    else parts.push(piece)
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      take(chunk.subarray(start, end))
      yield finish()
      start = end + 1
    }
    if (start < chunk.length) take(chunk.subarray(start))
  }
  if (bytes > 0) yield finish()
}

/** Writes lines, and resolves when the output takes more. */
export function createLineOutput(output: Writable): { write(text: string): Promise<void> } {
  let drained: Promise<void> | null = null
  return {
    async write(text) {
      if (output.destroyed || output.write(`${text}\n`)) return
      // One listener for all waiting writes.
      drained ??= new Promise<void>((resolve) => {
        const done = () => {
          output.off('drain', done)
          output.off('close', done)
          drained = null
          resolve()
        }
        output.on('drain', done)
        output.on('close', done)
      })
      await drained
    },
  }
}
