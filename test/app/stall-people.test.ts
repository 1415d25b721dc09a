import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { AlertId } from '../../src/domain/alert/schema.ts'
import type { QueueItemId } from '../../src/domain/queue/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/id.ts'
import { describeUsual, until, type Person, type World } from '../world.ts'
import { alertsOf, goTo, minutes, sessionOf, startWatch, timeline } from './stall-watching.ts'

/** A session that has been silent for six minutes. */
async function stalled(world: World, ann: Person) {
  const start = world.clock.now()
  const id = await world.session(ann)
  const watch = startWatch(world)
  await goTo(world, start, 6, watch)
  const [alert] = await alertsOf(world, id)
  if (!alert) throw new Error('no alert')
  return { start, id, watch, alertId: alert.id }
}

const nudge = (id: AlertId, message: string | null = null): Command => ({
  type: 'alert.nudge',
  id,
  itemId: newId<QueueItemId>(),
  message,
})
const lapsed = (world: World, id: SessionId) =>
  until(async () => (await alertsOf(world, id)).find(({ closedBy }) => closedBy === 'system:watchdog'))

const statsFor = async (world: World, who: Actor, sessionId?: SessionId) => {
  const stats = await world.app.read.alertStats(await world.app.read.standing(who), { sessionId })
  if (!stats.ok) throw new Error(stats.fault.code)
  return stats.value
}

describeUsual('the operator of a stalled session', (open) => {
  it('nudges it in their own words, which are kept; the next step comes at the usual time', async () => {
    await using world = await open()
    const ann = await world.person()
    const { start, id, alertId, ...rest } = await stalled(world, ann)
    await using watch = rest.watch
    await world.do(nudge(alertId, 'try without the cache'), ann)
    expect(await alertsOf(world, id)).toMatchObject([
      { status: 'nudged', nudgeCount: 1, nudgeMessage: 'try without the cache', nextAt: iso(start + minutes(8)) },
    ])
    const items = await world.database.read.selectFrom('queue_items').selectAll().execute()
    expect(items).toMatchObject([
      { words: 'try without the cache', place: 'now', status: 'waiting', added_by: `user:${ann.userId}` },
    ])
    await goTo(world, start, 60, watch)
    expect(await timeline(world, start, id)).toEqual([
      '5:00 raised',
      '6:00 nudged',
      '8:00 nudged',
      '10:00 nudged',
      '12:00 escalated',
    ])
    // A person's text is not dropped for the clock's own.
    const kept = await world.database.read
      .selectFrom('queue_items')
      .selectAll()
      .where('status', '=', 'waiting')
      .execute()
    expect(kept.map(({ words }) => words)).toEqual(['try without the cache', world.settings.stall.message])
    await world.do(nudge(alertId, 'last try'), ann)
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'escalated', nudgeCount: 4, nudgeMessage: 'last try' }])
  })

  it('dismisses it, and there is no other alert until the session shows activity', async () => {
    await using world = await open()
    const ann = await world.person()
    const { start, id, alertId, ...rest } = await stalled(world, ann)
    await using watch = rest.watch
    await world.do({ type: 'alert.dismiss', id: alertId }, ann)
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'dismissed', closedBy: `user:${ann.userId}` }])
    expect(await sessionOf(world, id)).toMatchObject({ connectivityStatus: 'online', nudgeCount: 0 })
    await goTo(world, start, 60, watch)
    expect(await alertsOf(world, id)).toHaveLength(1)
    await world.do({ type: 'session.touch', id, tool: null })
    await goTo(world, start, 66, watch)
    expect(await timeline(world, start, id)).toEqual(['5:00 raised', '6:00 dismissed', '65:00 raised'])
    expect((await world.refused({ type: 'alert.dismiss', id: alertId }, ann)).code).toBe('alert_closed')
  })

  it.each<[string, (id: SessionId) => Command]>([
    ['stops it', (id) => ({ type: 'session.cancel', id, reason: null })],
    ['pauses it', (id) => ({ type: 'session.pause', id, reason: null })],
    ['pauses its detection', (id) => ({ type: 'session.watch', id, paused: true, until: null })],
  ])('%s: the alert closes at once, and no nudge follows', async (_name, command) => {
    await using world = await open()
    const ann = await world.person()
    const { start, id, ...rest } = await stalled(world, ann)
    await using watch = rest.watch
    await world.do(command(id), ann)
    world.clock.advance(1)
    expect(await lapsed(world, id)).toMatchObject({ status: 'dismissed', nextAt: null })
    expect((await sessionOf(world, id)).connectivityStatus).not.toBe('stalled')
    await goTo(world, start, 60, watch)
    expect(await timeline(world, start, id)).toEqual(['5:00 raised', '6:00 lapsed'])
  })

  it('answers what the server asks meanwhile: the alert closes, and comes back only after the answer', async () => {
    await using world = await open()
    const ann = await world.person()
    const { start, id, ...rest } = await stalled(world, ann)
    await using watch = rest.watch
    const ask = await world.ask(id)
    world.clock.advance(1)
    await lapsed(world, id)
    await goTo(world, start, 40, watch)
    await world.do({ type: 'ask.cancel', id: ask, reason: null }, ann)
    await goTo(world, start, 46, watch)
    expect(await timeline(world, start, id)).toEqual(['5:00 raised', '6:00 lapsed', '45:00 raised'])
  })

  it('is its owner or a delegate: no other person, no agent, and nobody can do the clock’s work', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const { id, alertId, ...rest } = await stalled(world, ann)
    await using _watch = rest.watch
    const agent: Actor = { kind: 'agent', userId: ann.userId, tokenId: newId(), sessionId: id }
    for (const command of [nudge(alertId), { type: 'alert.dismiss', id: alertId } as const]) {
      expect((await world.refused(command, bea)).code).toBe('alert_not_found')
      expect((await world.refused(command, agent)).code).toBe('agents_may_not')
    }
    for (const type of ['alert.escalate', 'alert.recover', 'alert.lapse'] as const)
      expect((await world.refused({ type, id: alertId }, ann)).code).toBe('not_for_callers')
    const standing = await world.app.read.standing(bea)
    expect(await world.app.read.alert(standing, alertId)).toMatchObject({ fault: { code: 'alert_not_found' } })
    expect(await world.app.read.alerts(standing, { limit: 10 })).toMatchObject({ value: [] })
    expect(await statsFor(world, bea)).toMatchObject({ total: 0, medianSecondsFromNudgeToLife: null })
    await world.do({ type: 'session.delegate', id, userId: bea.userId }, ann)
    expect(await statsFor(world, bea)).toMatchObject({ total: 1 })
    await world.do(nudge(alertId), bea)
  })

  it('sees what nudges achieved', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const ids: SessionId[] = []
    for (let count = 0; count < 5; count += 1) ids.push(await world.session(ann))
    await using watch = startWatch(world)
    const life = async (minute: number, index: number) => {
      await goTo(world, start, minute, watch)
      const id = ids[index]
      if (id) await world.do({ type: 'session.touch', id, tool: null })
      if (id) await world.do({ type: 'session.watch', id, paused: true, until: null }, ann)
    }
    await life(6, 0)
    await life(8, 1)
    await life(10, 2)
    await life(20, 3)
    expect(await statsFor(world, ann)).toEqual({
      total: 5,
      open: 1,
      byStatus: { pending: 0, nudged: 0, self_recovered: 4, escalated: 1, dismissed: 0 },
      byCause: { silent: 5, no_progress: 0 },
      escalated: 2,
      lapsed: 0,
      nudges: 1 + 2 + 3 + 3,
      recoveredAfter: [
        { nudges: 0, alerts: 1 },
        { nudges: 1, alerts: 1 },
        { nudges: 2, alerts: 1 },
        { nudges: 3, alerts: 1 },
      ],
      // 8:00 after 7:00, 10:00 after 9:00, 20:00 after 11:00.
      medianSecondsFromNudgeToLife: 60,
    })
    expect(await statsFor(world, ann, ids[0])).toMatchObject({ total: 1, nudges: 0 })
  })
})
