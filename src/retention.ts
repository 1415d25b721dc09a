import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { forgetEvents } from './domain/audit/store.ts'
import { forgetConnections } from './domain/connection/store.ts'
import { forgetInputEvents } from './domain/pattern/query.ts'
import type { Database, Tx } from './db/open.ts'
import { iso, type Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'

const hour = 3600 * 1000
const day = 24 * hour

/**
 * Once an hour, on every node (recordings are files of their own): keys of old commands go, recordings and what was typed when their time is over, and events where the
 * configuration gives them an age.
 */
export function startRetention(deps: {
  database: Database
  clock: Clock
  log: Logger
  retention: { idempotencyHours: number; eventDays: number }
  terminal: { recordingDays: number; historyDays: number }
  /** Where recordings of terminals are. */
  recordings: string
}): AsyncDisposable {
  const { database, clock, log, retention, terminal, recordings } = deps
  let timer: Disposable | null = null
  let turn = Promise.resolve()
  let stopped = false

  async function forgetRows(tx: Tx, now: number): Promise<void> {
    await tx
      .deleteFrom('commands')
      .where('at', '<', iso(now - retention.idempotencyHours * hour))
      .execute()
    // Links, codes and logins that can't be used any more; kept for a day, so that a late click is told why.
    const yesterday = iso(now - day)
    for (const table of ['login_links', 'identity_offers', 'logins'] as const)
      await tx.deleteFrom(table).where('expires_at', '<', yesterday).execute()
    await forgetConnections(tx, yesterday)
    await forgetInputEvents(tx, iso(now - terminal.historyDays * day))
    if (retention.eventDays > 0) await forgetEvents(tx, iso(now - retention.eventDays * day))
  }

  async function forget(): Promise<void> {
    try {
      const now = clock.now()
      await database.write.transaction().execute(async (tx) => {
        // One node after the other: two that delete the same rows at once could wait for each other.
        await database.flavor.lock(tx, ['retention'])
        await forgetRows(tx, now)
      })
      if (existsSync(recordings)) {
        const { recordingsOlderThan, removeRecording } = await import('./edges/terminal/recording/removal.ts')
        const open = await database.read
          .selectFrom('terminals')
          .innerJoin('sessions', 'sessions.id', 'terminals.session_id')
          .select('terminals.session_id')
          .where('terminals.closed_at', 'is', null)
          .where('sessions.status', 'in', ['created', 'active', 'paused'])
          .execute()
        const live = new Set<string>(open.map((row) => row.session_id))
        for (const old of await recordingsOlderThan(recordings, now - terminal.recordingDays * day))
          // Somebody may still write there.
          if (!live.has(basename(old))) await removeRecording(old)
      }
    } catch (error) {
      log.warn({ error: String(error) }, 'old rows could not be deleted; trying again in an hour')
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
