import { forgetCommandKeys, forgetEvents } from '../domain/audit/store.ts'
import { forgetUnsent } from '../domain/attachment/store.ts'
import { forgetInbox } from '../domain/chat/store-inbox.ts'
import { forgetStrangers } from '../domain/chat/store-knocks.ts'
import { forgetConnections } from '../domain/connection/store.ts'
import { forgetInputEvents } from '../domain/pattern/query.ts'
import { forgetRuns } from '../domain/schedule/store.ts'
import { sessionsBeingRecorded } from '../domain/terminal/store.ts'
import { forgetExpiredSignIns } from '../domain/sign-in/store.ts'
import { forgetExpiredAccess } from '../domain/user/store-access.ts'
import type { Database } from '../db/open.ts'
import { iso } from '../lib/clock.ts'

const hour = 3600 * 1000
const day = 24 * hour

export type RetentionLimits = {
  readonly idempotencyHours: number
  /** 0 keeps events forever. */
  readonly eventDays: number
  readonly historyDays: number
}

export type Retention = {
  /** Deletes rows that are older than the limits. */
  forgetRows(now: number, limits: RetentionLimits): Promise<void>
  sessionsBeingRecorded(): Promise<ReadonlySet<string>>
}

export const createRetention = (database: Database): Retention => ({
  forgetRows: (now, limits) =>
    database.write.transaction().execute(async (tx) => {
      // One node at a time: two nodes that delete the same rows could deadlock.
      await database.flavor.lock(tx, ['retention'])
      await forgetCommandKeys(tx, iso(now - limits.idempotencyHours * hour))
      // Expired links and logins are kept for a day, so that a late click gets the reason.
      await forgetExpiredAccess(tx, iso(now - day))
      await forgetExpiredSignIns(tx, iso(now - day))
      await forgetConnections(tx, iso(now - day))
      await forgetUnsent(tx, iso(now - day))
      await forgetInbox(tx, iso(now - 30 * day))
      await forgetRuns(tx, iso(now - limits.historyDays * day))
      await forgetStrangers(tx, iso(now - 90 * day))
      await forgetInputEvents(tx, iso(now - limits.historyDays * day))
      if (limits.eventDays > 0) await forgetEvents(tx, iso(now - limits.eventDays * day))
    }),
  sessionsBeingRecorded: async () => new Set<string>(await sessionsBeingRecorded(database.read)),
})
