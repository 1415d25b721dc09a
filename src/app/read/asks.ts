import { alertStats, getAlert, listAlerts, type AlertPage } from '../../domain/alert/query.ts'
import type { AlertId } from '../../domain/alert/schema.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { withOwnGroups } from '../../domain/ask/new-chat.ts'
import { countOpenAsks, getAsk, listAsks, type AskPage } from '../../domain/ask/query.ts'
import { readLog } from '../../domain/ask/store-administration.ts'
import { isUnused } from '../../domain/ask/retract.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { loadSessions } from '../../domain/session/store.ts'
import type { Standing, Viewer } from '../../domain/user/actor.ts'
import { notFound, ok } from '../../lib/result.ts'
import { mayAnswerAsk } from '../authorize.ts'
import type { ReadContext } from './context.ts'

const mostLines = 1000

/** Asks and alerts. */
export function createAskReads({ database, behind, forViewer, settings }: ReadContext) {
  const { read: db } = database

  /** As one viewer sees them: with their own agent groups, and whether they may retract the approval. */
  async function seenBy(viewer: Viewer, who: Standing, asks: readonly Ask[]): Promise<Ask[]> {
    const unused = asks.filter((ask) => isUnused(ask))
    const ids = [...new Set(unused.flatMap(({ sessionId }) => sessionId ?? []))]
    const sessions = new Map((await loadSessions(db, ids)).map((session) => [session.id, session]))
    const { adminsMayAnswer, separateRequester = false } = settings()
    const mayRetract = (ask: Ask): boolean => {
      if (who.actor.kind !== 'person' || !isUnused(ask)) return false
      const session = ask.sessionId === null ? undefined : sessions.get(ask.sessionId)
      return mayAnswerAsk({ standing: who, adminsMayAnswer, separateRequester, session }, ask)
    }
    return asks.map((ask) => ({
      ...(viewer.sees === 'all' ? ask : withOwnGroups(ask, who)),
      ...(mayRetract(ask) && { mayRetract: true }),
    }))
  }

  return {
    alerts: behind('anyone', async (viewer, _who, page: AlertPage) =>
      ok(await listAlerts(forViewer(viewer), viewer, page)),
    ),
    alert: behind('anyone', async (viewer, _who, id: AlertId) => {
      const alert = await getAlert(db, viewer, id)
      return alert ? ok(alert) : notFound('alert', id)
    }),
    alertStats: behind('anyone', async (viewer, _who, filter: { sessionId?: SessionId | undefined }) =>
      ok(await alertStats(forViewer(viewer), viewer, filter)),
    ),
    asks: behind('anyone', async (viewer, who, page: AskPage) => {
      return ok(await seenBy(viewer, who, await listAsks(forViewer(viewer), viewer, page)))
    }),
    ask: behind('anyone', async (viewer, who, id: AskId) => {
      const ask = await getAsk(db, viewer, id)
      const [seen] = ask ? await seenBy(viewer, who, [ask]) : []
      return seen ? ok(seen) : notFound('ask', id)
    }),
    /** What happened while it was carried out. */
    askLog: behind('anyone', async (viewer, _who, id: AskId, after: number) =>
      (await getAsk(db, viewer, id)) ? ok(await readLog(db, id, after, mostLines)) : notFound('ask', id),
    ),
    openAsks: behind('anyone', async (viewer) => ok(await countOpenAsks(forViewer(viewer), viewer))),
  }
}
