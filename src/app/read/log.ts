import { sql } from 'kysely'
import type { StallSettings } from '../../domain/alert/schema.ts'
import { stallWork } from '../../domain/alert/query.ts'
import type { Place } from '../../domain/audit/cursor.ts'
import {
  dueDeadlines,
  isFiltered,
  readEvents,
  searchEvents,
  unknownDeadlineKinds,
  type EventFilter,
} from '../../domain/audit/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { sessionsDelegatedTo, sessionsOfToken } from '../../domain/session/store-clients.ts'
import type { Standing } from '../../domain/user/actor.ts'
import { ok } from '../../lib/result.ts'
import { readEvent } from '../events.ts'
import { endOf, newestOf } from '../tail.ts'
import type { ReadContext } from './context.ts'

/** The log of events, and work that is due. */
export function createLogReads({ database, behind, forViewer }: ReadContext) {
  const { read: db, aside, flavor } = database
  return {
    audit: behind('person', async (viewer, _who, filter: EventFilter & { limit: number; before?: Place | undefined }) =>
      ok((await searchEvents(aside, flavor, viewer, filter)).map(readEvent)),
    ),
    events: behind('anyone', async (viewer, _who, after: Place, limit: number, filter: EventFilter) => {
      const from = isFiltered(filter) ? aside : forViewer(viewer)
      return ok((await readEvents(from, flavor, { after, limit, viewer, filter })).map(readEvent))
    }),
    /** Sessions beyond their own that the caller gets events of: delegated to them, or started with their token. */
    heardSessions: async ({ actor }: Standing): Promise<SessionId[]> => {
      if (actor.kind === 'person') return sessionsDelegatedTo(db, actor.userId)
      if (actor.kind !== 'agent') return []
      const started = actor.tokenId === null ? [] : await sessionsOfToken(db, actor.tokenId)
      return actor.sessionId === null ? started : [...started, actor.sessionId]
    },
    /** The position of the newest event; null if there is none. */
    newestPlace: () => newestOf(database),
    endOfLog: () => endOf(database),
    /** Without `dueBefore`, also includes deadlines that are not due. */
    deadlines: (kind: string, dueBefore: string | null, limit: number) => dueDeadlines(db, kind, dueBefore, limit),
    /** Kinds of due deadlines that no slice handles. */
    strangeDeadlines: (known: readonly string[], dueBefore: string) => unknownDeadlineKinds(db, known, dueBefore),
    stallWork: (rules: StallSettings, now: number) => stallWork(db, rules, now),
    ping: async (): Promise<boolean> => {
      await sql`select 1`.execute(db)
      return database.intact()
    },
  }
}
