import type { Logger } from '../../lib/log.ts'
import { startFeed, type Feed, type FeedSink } from '../feed.ts'
import type { Output } from '../output.ts'
import { createRing, type Ring } from '../ring.ts'
import type { Exit } from '../types.ts'
import { createPace, type Pace } from './pace.ts'

/** Who reads a terminal: the server, and whoever is attached; the program goes no quicker than they do. */
export type Readers = {
  readonly isHeld: boolean
  append(bytes: Buffer): void
  /** There may be more for them. */
  wake(): void
  server(from: number, sink: FeedSink): Feed
  /** From a byte that is kept, or the first one that is. */
  attached(from: number, sink: FeedSink, stuck: () => void): Feed & { from: number }
  /** The server has everything before this for good. */
  ack(offset: number): void
  stop(): void
}

type Deps = { output: Output; exit: () => Exit | null; changed(): void; log: Logger }

const kilobyte = 1024
/** Behind the server the spool waits; it is a little patient, so that a quick program does not fill the disk. */
const serverLag = 2 * kilobyte * kilobyte
const serverPatienceMs = 2000
const attachedLag = 256 * kilobyte
const attachedPatienceMs = 10_000
/** Kept for whoever attaches later, also of what the server has taken. */
const tailBytes = 256 * kilobyte

export function createReaders({ output, exit, changed, log }: Deps): Readers {
  const tail: Ring = createRing(tailBytes)
  const feeds = new Set<Feed>()
  let acked = 0
  /** Who left may have bytes on the way that nobody will say were taken. */
  let lent = 0
  let serverFeed: Feed | null = null
  let waking: NodeJS.Immediate | undefined

  const pace: Pace = createPace({
    to: () => output.to,
    changed() {
      output.drop(Math.min(acked, pace.taken()), lent)
      changed()
    },
  })

  function join(from: number, sink: FeedSink, limits: { lag: number; patienceMs: number; stuck(): void }): Feed {
    const member = pace.join({ from, ...limits })
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
      return pace.isHeld()
    },
    append(bytes) {
      tail.append(bytes)
      pace.moved()
      // The server wants nothing more of it.
      if (acked > output.to) output.drop(Math.min(output.to, pace.taken()), lent)
    },
    // After everything that can be read now was: many small pieces leave as one.
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
      // What the spool no longer has is handed over at once, and counts as taken.
      const first = Math.min(kept, Math.max(wanted, tail.from))
      const old = tail.read(first, kept - first)
      if (old.length > 0) sink.data(old, first)
      return withFrom(join(kept, sink, limits), first)
    },
    ack(offset) {
      acked = Math.max(acked, offset)
      output.drop(Math.min(acked, pace.taken()), lent)
    },
    stop() {
      clearImmediate(waking)
      for (const feed of feeds) feed.stop()
    },
  }
}

const withFrom = (feed: Feed, from: number): Feed & { from: number } => Object.assign(feed, { from })
