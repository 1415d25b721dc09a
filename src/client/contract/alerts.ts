import * as z from 'zod'
import { alertStatuses } from '../../domain/alert/statuses.ts'
import { Alert, AlertId, AlertStats } from '../../domain/alert/schema.ts'
import { Session, SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { PageCursor, limit, listOf } from './parts.ts'

const ById = z.object({ id: AlertId })
const longestPause = 31_536_000

export const alertEndpoints = {
  listAlerts: endpoint({
    method: 'GET',
    path: '/api/alerts',
    tag: 'alerts',
    summary: 'Alerts about stalled sessions that you can see, newest first',
    status: 200,
    query: () =>
      z.strictObject({
        status: listOf(alertStatuses).optional(),
        sessionId: SessionId.optional(),
        limit: limit(100, 20),
        before: PageCursor.optional(),
      }),
    response: () => z.object({ alerts: z.array(Alert), next: PageCursor.nullable() }),
  }),
  alertStats: endpoint({
    method: 'GET',
    path: '/api/alerts/stats',
    tag: 'alerts',
    summary: 'Outcomes of alerts and nudges',
    status: 200,
    query: () => z.strictObject({ sessionId: SessionId.optional() }),
    response: AlertStats,
  }),
  getAlert: endpoint({
    method: 'GET',
    path: '/api/alerts/{id}',
    tag: 'alerts',
    summary: 'An alert',
    status: 200,
    params: ById,
    response: Alert,
  }),
  nudgeAlert: endpoint({
    method: 'POST',
    path: '/api/alerts/{id}/nudge',
    tag: 'alerts',
    summary: 'Nudge the agent now, with your own text or the configured one',
    status: 200,
    params: ById,
    body: () => z.strictObject({ message: z.string().trim().min(1).max(100_000).nullable().default(null) }),
    response: Alert,
  }),
  dismissAlert: endpoint({
    method: 'POST',
    path: '/api/alerts/{id}/dismiss',
    tag: 'alerts',
    summary: 'Dismiss an alert; no new one is raised until the agent responds again',
    status: 200,
    params: ById,
    body: () => z.strictObject({}),
    response: Alert,
  }),
  watchSession: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/stall',
    tag: 'alerts',
    summary: 'Pause stall detection of a session, for a while or until it is resumed',
    status: 200,
    params: () => z.object({ id: SessionId }),
    body: () =>
      z.strictObject({
        paused: z.boolean(),
        seconds: z.int().min(1).max(longestPause).nullable().default(null).meta({
          description: 'With paused: for how long. Omit it to pause until resumed.',
        }),
      }),
    response: Session,
  }),
}
