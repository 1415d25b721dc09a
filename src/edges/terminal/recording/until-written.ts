import type { Clock } from '../../../lib/clock.ts'
import type { Fault } from '../../../lib/result.ts'
import type { Block, BlockWriter } from './block-writer.ts'

export type UntilWritten = {
  /** The recording's offset up to which all is in the files. */
  readonly durable: number
  readonly hasRoom: boolean
  startAt(offset: number): void
  put(block: Block): void
  room(): Promise<void>
  flush(): Promise<void>
  /** The fault that keeps the rest from being written, if there is one. */
  close(): Promise<Fault | null>
}

const retryMs = 1000

/** Writes blocks in order, and tries again for as long as a full disk takes to get room. */
export function createUntilWritten(deps: {
  clock: Clock
  writer: BlockWriter
  mostWaiting: number
  trouble(fault: Fault | null): void
  written(block: Block): Promise<void>
}): UntilWritten {
  const { clock, writer, mostWaiting } = deps
  const waiting: Block[] = []
  const listeners = new Set<() => void>()
  let bytes = 0
  let durable = 0
  let running: Promise<void> | null = null
  let retry: Disposable | null = null
  let fault: Fault | null = null

  async function writeAll(): Promise<void> {
    for (let first = waiting[0]; first; first = waiting[0]) {
      await writer.write(first)
      waiting.shift()
      bytes -= first.bytes
      durable = first.to
      say(null)
      await deps.written(first)
      for (const listener of listeners) listener()
    }
  }

  function say(next: Fault | null): void {
    if ((next === null) === (fault === null)) return
    fault = next
    deps.trouble(next)
  }

  function pump(): Promise<void> {
    retry?.[Symbol.dispose]()
    retry = null
    running ??= writeAll()
      .catch((error: unknown) => {
        say(writeFault(error))
        retry = clock.at(clock.now() + retryMs, () => void pump())
      })
      .finally(() => {
        running = null
        // Something may have come between the last look and now.
        if (waiting.length > 0 && !retry) void pump()
      })
    return running
  }

  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!holds()) return
        listeners.delete(look)
        resolve()
      }
      listeners.add(look)
      look()
    })

  return {
    get durable() {
      return durable
    },
    get hasRoom() {
      return bytes < mostWaiting
    },
    startAt(offset) {
      durable = offset
    },
    put(block) {
      waiting.push(block)
      bytes += block.bytes
      // While the disk is full the timer tries again; more blocks do not make it less so.
      if (!retry) void pump()
    },
    room: () => until(() => bytes < mostWaiting),
    flush() {
      const last = waiting.at(-1)
      return last ? until(() => !waiting.includes(last)) : Promise.resolve()
    },
    async close() {
      await running
      // Once more, whatever the last try said.
      if (waiting.length > 0) await pump()
      retry?.[Symbol.dispose]()
      retry = null
      await writer.close()
      return waiting.length > 0 ? fault : null
    },
  }
}

function writeFault(error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return {
    kind: 'unavailable',
    code: isFull ? 'disk_full' : 'recording_not_writable',
    message: isFull
      ? "The disk is full: this terminal can't be recorded, and its program is waiting."
      : `The recording of this terminal can't be written (${code ?? String(error)}): its program is waiting.`,
    hint: isFull
      ? 'Free some space on the disk of the data directory; recording resumes automatically.'
      : 'Check the data directory.',
  }
}
