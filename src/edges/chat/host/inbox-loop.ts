import type { ChatInstanceId } from '../../../domain/chat-instance/schema.ts'
import type { InboxRow } from '../../../domain/chat/records.ts'
import { backoff } from '../../../lib/backoff.ts'
import { iso } from '../../../lib/clock.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { HostDeps } from './instance-deps.ts'

export type InboxLoop = AsyncDisposable & { wake(): void }

type Deps = Pick<HostDeps, 'app' | 'clock' | 'log'> & {
  /** The instances whose events are handled here. */
  instances(): readonly ChatInstanceId[]
  /** Handles an event and settles its row. */
  handle(row: InboxRow): Promise<void>
}

const mostAtOnce = 64
/** Events may be stored by another node, and postponed ones become due. */
const lookMs = 1000
const mostAttempts = 8

/** Handles stored events: those of one lane one by one, lanes beside each other. */
export function startInboxLoop({ app, clock, log, instances, handle }: Deps): InboxLoop {
  const { inbox } = app.chat
  const signal = createWakeSignal()
  const stop = new AbortController()
  const busy = new Map<string, Promise<void>>()

  async function handleRow(row: InboxRow): Promise<void> {
    try {
      await handle(row)
    } catch (error) {
      log.error({ inbox: row.id, error: String(error) }, 'an event of a chat could not be handled')
      const attempts = row.attempts + 1
      const at = clock.now()
      if (attempts < mostAttempts)
        await inbox.postpone(row.id, attempts, iso(at + backoff(attempts, 500, 60_000)), String(error))
      else await inbox.settle(row.id, { status: 'failed', error: String(error) }, iso(at))
    }
  }

  async function startDue(): Promise<number> {
    const of = { instances: instances(), busy: [...busy.keys()], limit: mostAtOnce - busy.size }
    if (of.limit <= 0) return 0
    const rows = await inbox.due(iso(clock.now()), of)
    for (const row of rows) {
      const done = handleRow(row)
        .catch((error: unknown) => log.error({ inbox: row.id, error: String(error) }, 'its outcome was not recorded'))
        .finally(() => {
          busy.delete(row.lane)
          signal.wake()
        })
      busy.set(row.lane, done)
    }
    return rows.length
  }

  async function loop(): Promise<void> {
    while (!stop.signal.aborted) {
      const known = signal.count()
      const started = await startDue().catch((error: unknown) => {
        log.error({ error: String(error) }, 'the events of chats could not be read')
        return 0
      })
      if (started === 0) await signal.after(known, lookMs, stop.signal)
    }
  }

  const done = loop()
  return {
    wake: signal.wake,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
      await Promise.all(busy.values())
    },
  }
}
