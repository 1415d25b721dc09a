import type { Logger } from '../../lib/log.ts'
import type { Result } from '../../lib/result.ts'
import type { Feed, FeedSink } from '../output/feed.ts'
import type { KeptOutput } from '../output/output.ts'
import type { Size } from '../protocol/types.ts'
import type { Readers } from './readers.ts'
import type { TerminalSize } from './terminal-size.ts'
import type { TerminalInput } from './terminal-input.ts'

/** The people attached to one terminal, each with their own keyboard and screen. */
export type Attachments = {
  readonly count: number
  attach(options: AttachOptions, sink: AttachSink): AttachedScreen
  /** The terminal has this size now. */
  resized(size: Size): void
  close(why: string): void
}

export type AttachOptions = Size & { from: number | 'now' }

export type AttachSink = FeedSink & {
  size(size: Size): void
  /** Detached by the keeper. */
  detached(why: string): void
}

export type AttachedScreen = Pick<Feed, 'taken'> & {
  readonly from: number
  type(bytes: Uint8Array): Result<void>
  resize(size: Size): Result<void>
  detach(): void
}

type Deps = { id: string; readers: Readers; sizes: TerminalSize; input: TerminalInput; output: KeptOutput; log: Logger }

type Attachee = { feed: Feed; sink: AttachSink }

export function createAttachments({ readers, sizes, input, output, log }: Deps): Attachments {
  const all = new Set<Attachee>()

  function remove(one: Attachee, why: string | null): void {
    if (!all.delete(one)) return
    one.feed.stop()
    sizes.leave(one)
    if (why !== null) one.sink.detached(why)
  }

  return {
    get count() {
      return all.size
    },
    attach({ from, cols, rows }, sink) {
      const start = from === 'now' ? output.to : Math.min(from, output.to)
      const ended: FeedSink = {
        data: sink.data,
        ready: sink.ready,
        exit(exit) {
          sink.exit(exit)
          remove(one, null)
        },
      }
      const feed = readers.attached(start, ended, () => {
        log.warn(
          { patienceMs: 10_000 },
          'an attached terminal does not read: it is detached, and the program keeps running',
        )
        remove(one, 'it read nothing for 10 seconds, and the program had to wait')
      })
      const one: Attachee = { feed, sink }
      all.add(one)
      sizes.set(one, { cols, rows })
      return {
        from: feed.from,
        taken: feed.taken,
        type(bytes) {
          sizes.claim(one)
          return input.type(bytes)
        },
        resize: (size) => sizes.set(one, size),
        detach: () => remove(one, null),
      }
    },
    resized(size) {
      for (const { sink } of all) sink.size(size)
    },
    close(why) {
      for (const one of all) remove(one, why)
    },
  }
}
