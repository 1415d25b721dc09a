import { alertStats, getAlert, listAlerts, type AlertPage } from '../../domain/alert/query.ts'
import type { AlertId } from '../../domain/alert/schema.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { withOwnGroups } from '../../domain/ask/new-chat.ts'
import { countOpenAsks, getAsk, listAsks, type AskPage } from '../../domain/ask/query.ts'
import { readLog } from '../../domain/ask/store-administration.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { notFound, ok } from '../../lib/result.ts'
import type { ReadContext } from './context.ts'

const mostLines = 1000

/** Asks and alerts. */
export function createAskReads({ database, behind, forViewer }: ReadContext) {
  const { read: db } = database
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
      const asks = await listAsks(forViewer(viewer), viewer, page)
      return ok(viewer.sees === 'all' ? asks : asks.map((ask) => withOwnGroups(ask, who)))
    }),
    ask: behind('anyone', async (viewer, who, id: AskId) => {
      const ask = await getAsk(db, viewer, id)
      if (!ask) return notFound('ask', id)
      return ok(viewer.sees === 'all' ? ask : withOwnGroups(ask, who))
    }),
    /** What happened while it was carried out. */
    askLog: behind('anyone', async (viewer, _who, id: AskId, after: number) =>
      (await getAsk(db, viewer, id)) ? ok(await readLog(db, id, after, mostLines)) : notFound('ask', id),
    ),
    openAsks: behind('anyone', async (viewer) => ok(await countOpenAsks(forViewer(viewer), viewer))),
  }
}
