import type { Writable } from 'node:stream'
import { fail, ok, type Result } from '../lib/result.ts'
import { createWriteKeys } from './write-keys.ts'

/** Input for a child: in order, each key once, without waiting for the child to read. */
export type Stdin = {
  write(key: string, bytes: Uint8Array): Result<void>
  close(): void
}

const mostQueued = 64 * 1024 * 1024

export function createStdin(stream: Writable, id: string): Stdin {
  const keys = createWriteKeys()
  // The child ended or closed its input; its exit reports that.
  stream.on('error', () => {})

  return {
    write(key, bytes) {
      if (keys.has(key)) return ok(undefined)
      if (!stream.writable) return closed(id)
      if (stream.writableLength + bytes.length > mostQueued) return blocked(id, stream.writableLength)
      keys.add(key)
      stream.write(bytes)
      return ok(undefined)
    },
    close() {
      stream.end()
    },
  }
}

const closed = (id: string) =>
  fail({
    kind: 'conflict',
    code: 'stdin_closed',
    message: `${id} accepts no more input: it has ended, or its input was closed.`,
  })

const blocked = (id: string, queued: number) =>
  fail({
    kind: 'limited',
    code: 'stdin_blocked',
    message: `${id} does not read its input: ${Math.round(queued / 1024 / 1024)} MB are already waiting.`,
    hint: 'End it, or wait until it reads again.',
  })
