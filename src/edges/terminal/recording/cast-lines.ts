import { open } from 'node:fs/promises'

const blockBytes = 256 * 1024
const longestLine = 16 * 1024 * 1024

/** The whole lines of a file from a place on, many at a time; what is torn at its end is left out. */
export async function* openLines(path: string, from: number): AsyncGenerator<Buffer, void, void> {
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
