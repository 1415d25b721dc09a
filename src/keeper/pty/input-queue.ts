import { writeSync } from 'node:fs'
import { fail, ok, type Result } from '../../lib/result.ts'

/** Input for a terminal: piece after piece, never interleaved, without waiting for the program. */
export type InputQueue = {
  /** All of it is written or queued. */
  write(bytes: Uint8Array): Result<void>
  /** The queue is empty. */
  readonly isIdle: boolean
  close(): void
}

type Deps = { fd: number; isOpen: () => boolean; id: string }

/** A paste of this size waits until the program reads; more is refused. */
const mostQueued = 4 * 1024 * 1024
const retryMs = 2
const slowestRetryMs = 50

export function createInputQueue({ fd, isOpen, id }: Deps): InputQueue {
  let queue: Uint8Array[] = []
  let waiting = 0
  let wait = retryMs
  let retry: NodeJS.Timeout | undefined

  function put(bytes: Uint8Array): void {
    const rest = bytes.subarray(writeNow(fd, bytes))
    if (rest.length === 0) return
    // The sender may reuse its buffer.
    queue.push(Buffer.from(rest))
    waiting += rest.length
    schedule()
  }

  function schedule(): void {
    retry ??= setTimeout(writeMore, wait)
  }

  function writeMore(): void {
    retry = undefined
    let progress = false
    for (let first = queue[0]; first && isOpen(); first = queue[0]) {
      const count = writeNow(fd, first)
      progress ||= count > 0
      waiting -= count
      if (count < first.length) {
        queue[0] = first.subarray(count)
        break
      }
      queue.shift()
    }
    wait = progress ? retryMs : Math.min(wait * 2, slowestRetryMs)
    if (waiting > 0 && isOpen()) schedule()
  }

  return {
    get isIdle() {
      return waiting === 0
    },
    write(bytes) {
      if (!isOpen()) return closed(id)
      if (waiting + bytes.length > mostQueued) return blocked(id, waiting)
      if (waiting === 0) {
        put(bytes)
      } else if (bytes.length > 0) {
        queue.push(Buffer.from(bytes))
        waiting += bytes.length
      }
      return ok(undefined)
    },
    close() {
      clearTimeout(retry)
      queue = []
      waiting = 0
    },
  }
}

/** Writes as much as fits now. A closed terminal takes everything; its exit reports that. */
function writeNow(fd: number, bytes: Uint8Array): number {
  let at = 0
  try {
    while (at < bytes.length) {
      const count = writeSync(fd, bytes, at)
      if (count === 0) break
      at += count
    }
    return at
  } catch (error) {
    return isFull(error) ? at : bytes.length
  }
}

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN'

export const closed = (id: string) =>
  fail({ kind: 'conflict', code: 'stdin_closed', message: `${id} accepts no more input: its program has ended.` })

const blocked = (id: string, queued: number) =>
  fail({
    kind: 'limited',
    code: 'stdin_blocked',
    message: `${id} does not read its input: ${Math.ceil(queued / 1024)} KB are already waiting.`,
    hint: 'End it, or wait until it reads again.',
  })
