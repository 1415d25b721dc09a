import { readSync } from 'node:fs'
import { ReadStream } from 'node:tty'

/** The reading side of our end of a terminal. */
export type Master = {
  /** False as soon as its file descriptor may belong to another file. */
  isOpen(): boolean
  pause(): void
  resume(): void
  /** Reads what is there now; false if nothing was. The kernel limits how much. */
  drain(): boolean
  close(): void
}

type Deps = {
  fd: number
  /** The bytes are valid until this returns. */
  data(bytes: Buffer): void
  /** The other end is closed, and everything was read. */
  end(): void
}

// The kernel gives 4 KB at a time; the rest that is there is read in the same turn.
const batchBytes = 64 * 1024
const leastRead = 4096
/** A program that keeps printing must not keep us draining. */
const mostDrained = 256 * 1024

export function openMaster({ fd, data, end }: Deps): Master {
  const batch = Buffer.allocUnsafeSlow(batchBytes)
  /** Appends to the batch; returns its new end. */
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
  // EIO means the end: the last process on the other side has closed it.
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

/** Bytes read; 0 if there are none now or no more. The stream tells which. */
function readNow(fd: number, into: Buffer, at: number): number {
  const limit = Error.stackTraceLimit
  // Usually there is nothing, and an error without a stack is cheap.
  Error.stackTraceLimit = 0
  try {
    return readSync(fd, into, at, into.length - at, null)
  } catch {
    return 0
  } finally {
    Error.stackTraceLimit = limit
  }
}
