import { forgetEvents } from './domain/audit/store.ts'
import { forgetConnections } from './domain/connection/store.ts'
import type { Database } from './db/open.ts'
import { iso, type Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'

const hour = 3600 * 1000
const day = 24 * hour

/** Once an hour: keys of old commands go, and events where the configuration gives them an age. */
export function startRetention(deps: {
  database: Database
  clock: Clock
  log: Logger
  retention: { idempotencyHours: number; eventDays: number }
}): AsyncDisposable {
  const { database, clock, log, retention } = deps
  let timer: Disposable | null = null
  let turn = Promise.resolve()
  let stopped = false

  async function forget(): Promise<void> {
    try {
      const now = clock.now()
      await database.write
        .deleteFrom('commands')
        .where('at', '<', iso(now - retention.idempotencyHours * hour))
        .execute()
      // Links, codes and logins that can't be used any more; kept for a day, so that a late click is told why.
      const yesterday = iso(now - day)
      for (const table of ['login_links', 'identity_offers', 'logins'] as const)
        await database.write.deleteFrom(table).where('expires_at', '<', yesterday).execute()
      await database.write.transaction().execute((tx) => forgetConnections(tx, yesterday))
      if (retention.eventDays > 0)
        await database.write.transaction().execute((tx) => forgetEvents(tx, iso(now - retention.eventDays * day)))
    } catch (error) {
      log.warn({ error: String(error) }, 'old rows could not be forgotten; trying again in an hour')
    }
  }

  function arm(delay: number): void {
    if (stopped) return
    timer = clock.at(clock.now() + delay, () => {
      turn = forget().then(() => arm(hour))
    })
  }
  arm(60_000)
  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      timer?.[Symbol.dispose]()
      await turn
    },
  }
}
