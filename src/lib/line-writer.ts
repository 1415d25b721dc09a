import { fstatSync, write } from 'node:fs'
import { Socket } from 'node:net'

/**
 * Writes lines to a file descriptor without ever blocking the process. If nobody reads the other end, lines wait up to a
 * limit; those that do not fit are counted and reported once there is room again.
 */
export type LineWriter = {
  write(line: string): void
  /** Resolves when everything written so far has been flushed. */
  drained(): Promise<void>
}

export function createLineWriter(descriptor: number, mostBytes: number): LineWriter {
  const sink = openSink(descriptor)
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

  function put(batch: Buffer): void {
    // An error means that nobody will read it: the lines are lost, and the server keeps running.
    sink(batch, () => {
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

type Sink = (bytes: Buffer, done: () => void) => void

/** A pipe with a stalled reader must not block one of our threads; a file never does. */
function openSink(descriptor: number): Sink {
  const kind = fstatSync(descriptor, { throwIfNoEntry: false })
  if (kind?.isFIFO() || kind?.isSocket()) {
    const pipe = new Socket({ fd: descriptor, readable: false, writable: true })
    pipe.on('error', () => {})
    pipe.unref()
    return (bytes, done) => void pipe.write(bytes, () => done())
  }
  const put: Sink = (bytes, done) =>
    write(descriptor, bytes, (error, written) => {
      if (!error && written < bytes.length) put(bytes.subarray(written), done)
      else done()
    })
  return put
}
