import { readSync } from 'node:fs'
import { ReadStream } from 'node:tty'

/** Our end of a terminal, read. */
export type Master = {
  /** False from the moment on at which its number may be another file's. */
  isOpen(): boolean
  pause(): void
  resume(): void
  /** Takes what is there now, and says whether there was anything; what is there is bounded by the kernel. */
  drain(): boolean
  close(): void
}

type Deps = {
  fd: number
  /** The bytes hold until it returns. */
  data(bytes: Buffer): void
  /** Nobody has the other end any more, and everything was read. */
  end(): void
}

// The kernel hands over 4 KB at a time; what is there already is taken in the same turn.
const batchBytes = 64 * 1024
const leastRead = 4096
/** A program that prints while we drain does not keep us. */
const mostDrained = 256 * 1024

export function openMaster({ fd, data, end }: Deps): Master {
  const batch = Buffer.allocUnsafeSlow(batchBytes)
  /** Reads on behind what is in the batch; gives where it ends. */
  function fill(from: number): number {
    let at = from
    while (at + leastRead <= batchBytes) {
      const count = readNow(fd, batch, at)
      if (count <= 0) break
      at += count
    }
    return at
  }

  const stream = new ReadStream(fd, {
    onread: {
      buffer: batch,
      callback(count: number) {
        const size = fill(count)
        data(batch.subarray(0, size))
        return true
      },
    },
  })
  const close = () => void stream.destroy()
  // EIO is the end: the last one on the other side has closed it.
  stream.on('error', close)
  stream.on('end', close)
  stream.on('close', end)
  stream.resume()

  return {
    isOpen: () => !stream.destroyed,
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    drain() {
      let total = 0
      while (!stream.destroyed && total < mostDrained) {
        const size = fill(0)
        if (size === 0) break
        total += size
        data(batch.subarray(0, size))
      }
      return total > 0
    },
    close,
  }
}

/** Bytes read; 0 where there are none now or no more: the stream tells which. */
function readNow(fd: number, into: Buffer, at: number): number {
  const limit = Error.stackTraceLimit
  // That there is nothing is the rule, and an error without a stack costs little.
  Error.stackTraceLimit = 0
  try {
    return readSync(fd, into, at, into.length - at, null)
  } catch {
    return 0
  } finally {
    Error.stackTraceLimit = limit
  }
}
