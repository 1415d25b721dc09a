import type { Logger } from '../../lib/log.ts'
import { startFeed, type Feed, type FeedSink } from '../output/feed.ts'
import type { KeptOutput } from '../output/output.ts'
import { createRing, type Ring } from '../output/ring.ts'
import type { Exit } from '../protocol/types.ts'
import { createBackpressure, type Backpressure } from './backpressure.ts'

/** The readers of a terminal: the server and attached people. The program runs no faster than they read. */
export type Readers = {
  readonly isHeld: boolean
  append(bytes: Buffer): void
  /** There may be more to read. */
  wake(): void
  server(from: number, sink: FeedSink): Feed
  /** From this byte, or from the first one kept. */
  attached(from: number, sink: FeedSink, stuck: () => void): Feed & { from: number }
  /** The server has stored everything before this. */
  ack(offset: number): void
  stop(): void
}

type Deps = { output: KeptOutput; exit: () => Exit | null; changed(): void; log: Logger }

const kilobyte = 1024
/** Bytes the server has not read go to the spool; a little patience keeps a fast program from filling the disk. */
const serverLag = 2 * kilobyte * kilobyte
const serverPatienceMs = 2000
const attachedLag = 256 * kilobyte
const attachedPatienceMs = 10_000
/** Kept for people who attach later, even if the server has read it. */
const tailBytes = 256 * kilobyte

export function createReaders({ output, exit, changed, log }: Deps): Readers {
  const tail: Ring = createRing(tailBytes)
  const feeds = new Set<Feed>()
  let acked = 0
  /** A reader that left may still have bytes in flight that it will never acknowledge. */
  let lent = 0
  let serverFeed: Feed | null = null
  let waking: NodeJS.Immediate | undefined

  const backpressure: Backpressure = createBackpressure({
    to: () => output.to,
    changed() {
      output.drop(Math.min(acked, backpressure.taken()), lent)
      changed()
    },
  })

  function join(from: number, sink: FeedSink, limits: { lag: number; patienceMs: number; stuck(): void }): Feed {
    const member = backpressure.join({ from, ...limits })
    const feed = startFeed({ output, from, exit, sink, log })
    const joined: Feed = {
      get sent() {
        return feed.sent
      },
      wake: () => feed.wake(),
      taken(offset) {
        feed.taken(offset)
        member.taken(offset)
      },
      stop() {
        feed.stop()
        lent = Math.max(lent, feed.sent)
        feeds.delete(joined)
        member.leave()
      },
    }
    feeds.add(joined)
    return joined
  }

  return {
    get isHeld() {
      return backpressure.isHeld()
    },
    append(bytes) {
      tail.append(bytes)
      backpressure.moved()
      // The server does not want more of it.
      if (acked > output.to) output.drop(Math.min(output.to, backpressure.taken()), lent)
    },
    // After everything available was read, so that many small pieces leave as one.
    wake() {
      waking ??= setImmediate(() => {
        waking = undefined
        for (const feed of feeds) feed.wake()
      })
    },
    server(from, sink) {
      serverFeed?.stop()
      const stuck = () => log.warn({}, 'the server does not read: the terminal keeps running without waiting for it')
      serverFeed = join(from, sink, { lag: serverLag, patienceMs: serverPatienceMs, stuck })
      return serverFeed
    },
    attached(wanted, sink, stuck) {
      const limits = { lag: attachedLag, patienceMs: attachedPatienceMs, stuck }
      const kept = output.from
      if (wanted >= kept) return withFrom(join(wanted, sink, limits), wanted)
      // Bytes the spool no longer has are sent at once and count as taken.
      const first = Math.min(kept, Math.max(wanted, tail.from))
      const old = tail.read(first, kept - first)
      if (old.length > 0) sink.data(old, first)
      return withFrom(join(kept, sink, limits), first)
    },
    ack(offset) {
      acked = Math.max(acked, offset)
      output.drop(Math.min(acked, backpressure.taken()), lent)
    },
    stop() {
      clearImmediate(waking)
      for (const feed of feeds) feed.stop()
    },
  }
}

const withFrom = (feed: Feed, from: number): Feed & { from: number } => Object.assign(feed, { from })
