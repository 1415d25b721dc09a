import { write } from 'node:fs'

/**
 * Lines to a file descriptor without ever holding up the process: where nobody reads the other end they wait, up to a
 * bound, and what does not fit is counted and said once there is room again.
 */
export type LineWriter = {
  write(line: string): void
  /** Resolves when what was written so far has left us. */
  drained(): Promise<void>
}

const retryMs = 20

export function createLineWriter(descriptor: number, mostBytes: number): LineWriter {
  let waiting: string[] = []
  let bytes = 0
  let dropped = 0
  let writing = false
  let done = Promise.withResolvers<void>()

  function pump(): void {
    if (writing) return
    if (waiting.length === 0) {
      done.resolve()
      return
    }
    writing = true
    if (dropped > 0) waiting.push(`${JSON.stringify({ level: 40, msg: 'log lines were dropped', dropped })}\n`)
    dropped = 0
    const batch = Buffer.from(waiting.join(''))
    waiting = []
    bytes = 0
    put(batch)
  }

  function put(rest: Buffer): void {
    write(descriptor, rest, (error, written) => {
      if (error?.code === 'EAGAIN') {
        setTimeout(() => put(rest), retryMs)
        return
      }
      if (!error && written < rest.length) {
        put(rest.subarray(written))
        return
      }
      // Any other error means nobody will ever read it: the line is gone, the server goes on.
      writing = false
      pump()
    })
  }

  return {
    write(line) {
      const size = Buffer.byteLength(line)
      if (bytes + size > mostBytes) {
        dropped += 1
        return
      }
      if (!writing && waiting.length === 0) done = Promise.withResolvers<void>()
      bytes += size
      waiting.push(line)
      pump()
    },
    drained: () => (writing || waiting.length > 0 ? done.promise : Promise.resolve()),
  }
}
