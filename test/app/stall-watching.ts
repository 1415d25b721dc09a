import type { App } from '../../src/app/app.ts'
import type { Alert } from '../../src/domain/alert/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { startStallWatch, type StallWatch } from '../../src/edges/clock/stall-watch.ts'
import { silentLogger } from '../../src/lib/log.ts'
import type { World } from '../world.ts'

export const minutes = (count: number): number => Math.round(count * 60_000)

export const startWatch = (world: World, app: App = world.app): StallWatch =>
  startStallWatch({ app, clock: world.clock, log: silentLogger, settings: () => world.settings.stall })

/** Advances time to the minute after `start`, doing everything due on the way at its own moment. */
export async function goTo(world: World, start: number, minute: number, ...watches: StallWatch[]): Promise<void> {
  const { clock } = world
  const target = start + minutes(minute)
  const settled = async () => {
    for (const watch of watches) await watch.settled()
    // An overdue timer fires in the next turn of the loop.
    await new Promise((resolve) => setImmediate(resolve))
    for (const watch of watches) await watch.settled()
  }
  for (await settled(); (clock.timers()[0] ?? target) < target; await settled())
    clock.advance(Math.max(0, (clock.timers()[0] ?? 0) - clock.now()))
  clock.advance(target - clock.now())
  await settled()
}

/** What happened to a session's alerts: `5:00 raised`. */
export async function timeline(world: World, start: number, id: SessionId): Promise<string[]> {
  const rows = await world.database.read
    .selectFrom('events')
    .select(['type', 'at'])
    .where('session_id', '=', id)
    .where('type', 'like', 'alert.%')
    .orderBy('seq')
    .execute()
  return rows.map(({ type, at }) => {
    const seconds = Math.round((Date.parse(at) - start) / 1000)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} ${type.replace('alert.', '')}`
  })
}

export const alertsOf = async (world: World, sessionId: SessionId): Promise<Alert[]> => {
  const who = await world.app.read.standing({ kind: 'system', name: 'test' })
  const alerts = await world.app.read.alerts(who, { sessionId, limit: 100 })
  return alerts.ok ? alerts.value : []
}

export const sessionOf = async (world: World, id: SessionId) => {
  const session = await world.app.read.session(await world.app.read.standing({ kind: 'system', name: 'test' }), id)
  if (!session.ok) throw new Error(session.fault.code)
  return session.value
}
