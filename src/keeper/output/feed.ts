import { createWakeSignal } from '../../lib/wake-signal.ts'
import type { Logger } from '../../lib/log.ts'
import type { KeptOutput } from './output.ts'
import type { Exit } from '../protocol/types.ts'

/** Hands a child's output to a listener, no faster than the listener takes it. */
export type Feed = {
  /** Sent up to here, taken or not. */
  readonly sent: number
  /** There may be more to send. */
  wake(): void
  /** The listener is done with everything before `offset`. */
  taken(offset: number): void
  stop(): void
}

export type FeedSink = {
  data(bytes: Buffer, offset: number): void
  exit(exit: Exit): void
  /** Resolves when the connection takes more. */
  ready(): Promise<void>
}

const windowBytes = 1024 * 1024
const pieceBytes = 256 * 1024
const retryMs = 1000

export function startFeed(deps: {
  output: KeptOutput
  from: number
  /** Null until everything the child printed is in `output`. */
  exit: () => Exit | null
  sink: FeedSink
  log: Logger
}): Feed {
  const { output, sink, log } = deps
  const arrived = createWakeSignal()
  let cursor = deps.from
  let taken = deps.from
  let isStopped = false

  async function run(): Promise<void> {
    while (!isStopped) {
      const known = arrived.count()
      const exit = deps.exit()
      const piece = cursor - taken < windowBytes ? await output.read(cursor, pieceBytes) : null
      if (piece) {
        await sink.ready()
        if (isStopped) return
        sink.data(piece.bytes, piece.offset)
        cursor = piece.offset + piece.bytes.length
      } else if (exit && cursor >= output.to) {
        sink.exit(exit)
        isStopped = true
      } else {
        await arrived.after(known, null)
      }
    }
  }

  async function keepRunning(): Promise<void> {
    while (!isStopped) {
      try {
        await run()
      } catch (error) {
        log.error({ error: String(error), offset: cursor }, "the spool can't be read: trying again")
        await arrived.after(arrived.count(), retryMs)
      }
    }
  }

  void keepRunning()
  return {
    get sent() {
      return cursor
    },
    wake: () => arrived.wake(),
    taken(offset) {
      if (!(offset > taken)) return
      taken = offset
      arrived.wake()
    },
    stop() {
      isStopped = true
      arrived.wake()
    },
  }
}
