import type { Command } from '../../../app/command.ts'
import { api } from '../../../client/contract.ts'
import type { ScheduleId } from '../../../domain/schedule/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import { notFound, ok } from '../../../lib/result.ts'
import { nextPosition, positionOf } from '../page-cursor.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export function mountSchedules(web: Web, deps: RouteDeps, clock: Clock): void {
  const { app } = deps
  const dispatch = (command: Command, call: ApiCall) => app.dispatch(command, call.caller.actor, call.once)
  const show = (call: ApiCall, id: ScheduleId) => app.read.schedule(call.caller.standing, id)

  /** Changes something, then shows it. */
  async function changed(command: Command, call: ApiCall) {
    const done = await dispatch(command, call)
    return done.ok ? show(call, done.value.subject as ScheduleId) : done
  }

  mount(web, deps, api.listSchedules, async ({ query: { before, ...query } }, { caller }) => {
    const start = positionOf(before)
    if (!start.ok) return start
    const found = await app.read.schedules(caller.standing, { ...query, offset: start.value })
    return found.ok ? ok({ schedules: found.value, next: nextPosition(found.value, query.limit, start.value) }) : found
  })
  mount(web, deps, api.createSchedule, ({ body }, call) =>
    changed({ type: 'schedule.create', id: newId(), ...body }, call),
  )
  mount(web, deps, api.getSchedule, ({ params }, { caller }) =>
    app.read.scheduleDetail(caller.standing, params.id, clock.now()),
  )
  mount(web, deps, api.updateSchedule, ({ params: { id }, body }, call) =>
    changed({ type: 'schedule.update', id, ...body }, call),
  )
  mount(web, deps, api.removeSchedule, async ({ params: { id } }, call) => {
    const done = await dispatch({ type: 'schedule.cancel', id }, call)
    return done.ok ? ok({ id, removed: true as const }) : done
  })
  mount(web, deps, api.pauseSchedule, ({ params: { id } }, call) => changed({ type: 'schedule.pause', id }, call))
  mount(web, deps, api.resumeSchedule, ({ params: { id } }, call) => changed({ type: 'schedule.resume', id }, call))
  mount(web, deps, api.runSchedule, async ({ params: { id } }, call) => {
    const done = await dispatch({ type: 'schedule.run_now', id, runId: newId() }, call)
    if (!done.ok) return done
    const runs = await app.read.scheduleRuns(call.caller.standing, id, { limit: 500, offset: 0 })
    if (!runs.ok) return runs
    const run = runs.value.find((one) => one.id === done.value.subject)
    return run ? ok(run) : notFound('run', done.value.subject)
  })
  mount(web, deps, api.listScheduleRuns, async ({ params, query: { before, limit } }, { caller }) => {
    const start = positionOf(before)
    if (!start.ok) return start
    const found = await app.read.scheduleRuns(caller.standing, params.id, { limit, offset: start.value })
    return found.ok ? ok({ runs: found.value, next: nextPosition(found.value, limit, start.value) }) : found
  })
}
