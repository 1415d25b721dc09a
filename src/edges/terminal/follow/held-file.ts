import { createHash } from 'node:crypto'
import type { Opened } from './open-file.ts'

export type HeldFile = {
  readonly identity: string
  /** How large it was when it was opened. */
  readonly size: number
  /** The bytes at a position; null at the end, and `rewritten` if the bytes read before it have changed. */
  read(position: number): Promise<Buffer | 'rewritten' | null>
  /** Reading begins here: the bytes before it are remembered. */
  beginAt(position: number): Promise<void>
  /** Shorter than before, or its beginning or the bytes before this position have changed. */
  wasRewritten(position: number): Promise<boolean>
  /** SHA-256 of the last bytes before a position; null if the file ends before it. */
  before(position: number): Promise<string | null>
  close(): Promise<void>
}

const chunkBytes = 256 * 1024
/** Enough of its beginning and of the last bytes read to tell whether a file of the same length is still the same. */
const rememberedBytes = 64
const hashedBytes = 1024

type FilePiece = { readonly bytes: Buffer; readonly at: number }
const nothing: FilePiece = { bytes: Buffer.alloc(0), at: 0 }

export function createHeldFile(opened: Opened): HeldFile {
  const { handle, identity, size } = opened
  let first = nothing
  let last = nothing

  /** The bytes there now; fewer if the file ends before. */
  async function at(from: number, to: number): Promise<Buffer> {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(to - from), 0, to - from, from)
    return buffer.subarray(0, bytesRead)
  }

  const stillStands = async ({ bytes, at: from }: FilePiece): Promise<boolean> =>
    bytes.length === 0 || (await at(from, from + bytes.length)).equals(bytes)

  function learn(chunk: Buffer, position: number): void {
    if (position === first.bytes.length && position < rememberedBytes)
      first = { bytes: Buffer.concat([first.bytes, chunk.subarray(0, rememberedBytes - position)]), at: 0 }
    const known = chunk.length < rememberedBytes ? Buffer.concat([last.bytes, chunk]) : chunk
    const bytes = Buffer.from(known.subarray(-rememberedBytes))
    last = { bytes, at: position + chunk.length - bytes.length }
  }

  return {
    identity,
    size,
    async read(position) {
      const { size: now } = await handle.stat()
      const length = Math.min(chunkBytes, now - position)
      if (length < 0) return 'rewritten'
      if (length === 0) return null
      // Together with the last bytes read, so that nothing comes between the two.
      const known = last.bytes.length
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(known + length), 0, known + length, last.at)
      if (!buffer.subarray(0, Math.min(known, bytesRead)).equals(last.bytes)) return 'rewritten'
      if (bytesRead === known) return null
      const chunk = buffer.subarray(known, bytesRead)
      learn(chunk, position)
      return chunk
    },
    async beginAt(position) {
      const from = Math.max(0, position - rememberedBytes)
      first = { bytes: await at(0, Math.min(position, rememberedBytes)), at: 0 }
      last = { bytes: await at(from, position), at: from }
    },
    async wasRewritten(position) {
      const { size: now } = await handle.stat()
      return now < position || !(await stillStands(first)) || !(await stillStands(last))
    },
    async before(position) {
      const from = Math.max(0, position - hashedBytes)
      const bytes = await at(from, position)
      return bytes.length < position - from ? null : createHash('sha256').update(bytes).digest('hex')
    },
    close: () => handle.close(),
  }
}

export const inodeOf = ({ identity }: HeldFile): string => identity.slice(identity.indexOf(':') + 1)
