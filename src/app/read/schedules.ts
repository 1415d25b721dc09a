import {
  listRuns,
  getSchedule,
  listSchedules,
  type ScheduleFilter,
  type ScheduleViewer,
} from '../../domain/schedule/query.ts'
import type { ScheduleId } from '../../domain/schedule/schema.ts'
import { nextInstants } from '../../domain/schedule/timing.ts'
import { lineageOf } from '../../domain/session/query.ts'
import { loadSession } from '../../domain/session/store.ts'
import { viewerOf, type Standing } from '../../domain/user/actor.ts'
import { iso } from '../../lib/clock.ts'
import { notFound, ok } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

const shownUpcoming = 5

type Page = { readonly limit: number; readonly offset: number }

/** Schedules: of people their own and those of their agent groups; of agents those of their session or agent group. */
export function createScheduleReads({ database, behind }: ReadContext) {
  const { read: db } = database

  async function seenBy(who: Standing): Promise<ScheduleViewer | null> {
    const viewer = viewerOf(who)
    if (viewer.sees === 'all') return viewer
    if (viewer.sees === 'own') return { sees: 'own', userId: viewer.userId, groups: viewer.groups }
    if (viewer.sees === 'nothing' || viewer.sessionId === null) return null
    const own = await loadSession(db, viewer.sessionId)
    if (!own) return null
    return { sees: 'agent', owner: own.ownerUserId, group: own.agentGroupId, lineage: await lineageOf(db, own.id) }
  }

  return {
    schedules: behind('anyone', async (_viewer, who, page: ScheduleFilter & Page) => {
      const viewer = await seenBy(who)
      return ok(viewer ? await listSchedules(db, viewer, page) : [])
    }),
    schedule: behind('anyone', async (_viewer, who, id: ScheduleId) => {
      const viewer = await seenBy(who)
      const found = viewer && (await getSchedule(db, viewer, id))
      return found ? ok(found) : notFound('schedule', id)
    }),
    /** With its next due times. */
    scheduleDetail: behind('anyone', async (_viewer, who, id: ScheduleId, now: number) => {
      const viewer = await seenBy(who)
      const found = viewer && (await getSchedule(db, viewer, id))
      if (!found) return notFound('schedule', id)
      const upcoming = found.status === 'active' ? nextInstants(found.timing, now, shownUpcoming).map(iso) : []
      return ok({ ...found, upcoming })
    }),
    scheduleRuns: behind('anyone', async (_viewer, who, id: ScheduleId, page: Page) => {
      const viewer = await seenBy(who)
      const found = viewer && (await getSchedule(db, viewer, id))
      return found ? ok(await listRuns(db, id, page)) : notFound('schedule', id)
    }),
  }
}
