import { api } from '../../../client/contract.ts'
import type { AlertId } from '../../../domain/alert/schema.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import { ok } from '../../../lib/result.ts'
import { nextPage, pageStart } from '../page-cursor.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export function mountAlerts(web: Web, deps: RouteDeps, clock: Clock): void {
  const { app } = deps
  const shown = (call: ApiCall, id: AlertId) => app.read.alert(call.caller.standing, id)

  mount(web, deps, api.listAlerts, async ({ query }, { caller }) => {
    const before = pageStart(query.before)
    if (!before.ok) return before
    const { status, sessionId, limit } = query
    const alerts = await app.read.alerts(caller.standing, { statuses: status, sessionId, limit, before: before.value })
    return alerts.ok ? ok({ alerts: alerts.value, next: nextPage(alerts.value, limit) }) : alerts
  })

  mount(web, deps, api.alertStats, ({ query }, { caller }) => app.read.alertStats(caller.standing, query))

  mount(web, deps, api.getAlert, ({ params }, call) => shown(call, params.id))

  mount(web, deps, api.nudgeAlert, async ({ params, body }, call) => {
    const command = { type: 'alert.nudge' as const, id: params.id, itemId: newId<QueueItemId>(), message: body.message }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, params.id) : done
  })

  mount(web, deps, api.dismissAlert, async ({ params }, call) => {
    const done = await app.dispatch({ type: 'alert.dismiss', id: params.id }, call.caller.actor, call.once)
    return done.ok ? shown(call, params.id) : done
  })

  mount(web, deps, api.watchSession, async ({ params, body }, call) => {
    const { paused, seconds } = body
    const until = paused && seconds !== null ? iso(clock.now() + seconds * 1000) : null
    const command = { type: 'session.watch' as const, id: params.id, paused, until }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? app.read.session(call.caller.standing, params.id) : done
  })
}
