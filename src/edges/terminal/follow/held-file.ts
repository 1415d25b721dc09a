import { createHash } from 'node:crypto'
import type { Opened } from './open-file.ts'

export type HeldFile = {
  readonly identity: string
  /** How large it was when it was opened. */
  readonly size: number
  /** What stands at a place; null at the end. */
  read(position: number): Promise<Buffer | null>
  /** Shorter than what was read of it, or what was read last no longer stands there. */
  wasRewritten(position: number): Promise<boolean>
  /** SHA-256 of the last bytes before a place, as many as tell it from another; null where the file ends before it. */
  before(position: number): Promise<string | null>
  close(): Promise<void>
}

const chunkBytes = 256 * 1024
/** Enough to tell whether a file that is as long as before is still the same. */
const rememberedBytes = 64
const hashedBytes = 1024

export function createHeldFile(opened: Opened): HeldFile {
  const { handle, identity, size } = opened
  let last: { bytes: Buffer; at: number } | null = null

  return {
    identity,
    size,
    async read(position) {
      const { size: now } = await handle.stat()
      const length = Math.min(chunkBytes, now - position)
      if (length <= 0) return null
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, position)
      if (bytesRead === 0) return null
      const end = position + bytesRead
      const from = Math.max(0, bytesRead - rememberedBytes)
      last = { bytes: Buffer.from(buffer.subarray(from, bytesRead)), at: end - (bytesRead - from) }
      return buffer.subarray(0, bytesRead)
    },
    async wasRewritten(position) {
      const { size: now } = await handle.stat()
      if (now < position) return true
      if (!last || last.at + last.bytes.length !== position) return false
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(last.bytes.length), 0, last.bytes.length, last.at)
      return !buffer.subarray(0, bytesRead).equals(last.bytes)
    },
    async before(position) {
      const from = Math.max(0, position - hashedBytes)
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(position - from), 0, position - from, from)
      return bytesRead < position - from ? null : createHash('sha256').update(buffer).digest('hex')
    },
    close: () => handle.close(),
  }
}
