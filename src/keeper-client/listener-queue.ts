import { isRecord, type Frame } from '../keeper/protocol/frames.ts'
import type { Exit } from '../keeper/protocol/types.ts'
import type { Logger } from '../lib/log.ts'
import type { ChildListener } from './types.ts'

/** The frames for one listener, handed over one after another. */
export type ListenerQueue = { receive(frame: Frame): void; stop(): void }

type Deps = {
  listener: ChildListener
  /** Any other frame, in order with the bytes. */
  other?(header: Frame['header']): void
  /** The listener is done with everything before the offset. */
  taken(offset: number): void
  /** Nothing more comes, or is wanted. */
  ended(): void
  log: Logger
}

export function createListenerQueue({ listener, other, taken, ended, log }: Deps): ListenerQueue {
  const queue: Frame[] = []
  let isBusy = false
  let isStopped = false

  async function handOver({ header, payload }: Frame): Promise<void> {
    const offset = Number(header['offset'])
    if (header['op'] === 'data') {
      await listener.data(payload, offset)
      taken(offset + payload.length)
    } else if (header['op'] === 'exit') {
      stop()
      listener.exit(exitOf(header['exit']))
    } else {
      other?.(header)
    }
  }

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    for (let frame = queue.shift(); frame && !isStopped; frame = queue.shift()) {
      try {
        await handOver(frame)
      } catch (error) {
        const details = { error: error instanceof Error ? error.stack : String(error) }
        log.error(details, 'a listener failed and was removed')
        stop()
      }
    }
    isBusy = false
  }

  function stop(): void {
    if (isStopped) return
    isStopped = true
    queue.length = 0
    ended()
  }

  return {
    receive(frame) {
      if (isStopped) return
      queue.push(frame)
      void work()
    },
    stop,
  }
}

export function exitOf(value: unknown): Exit {
  if (!isRecord(value)) return { code: null, signal: null }
  const { code, signal } = value
  return { code: typeof code === 'number' ? code : null, signal: typeof signal === 'string' ? signal : null }
}
