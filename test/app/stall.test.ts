import { expect, it } from 'vitest'
import type { SessionId } from '../../src/domain/session/id.ts'
import { describeBoth, type World } from '../world.ts'
import { messagesOf } from './agent-session.ts'
import { alertsOf, goTo, minutes, sessionOf, startWatch, timeline } from './stall-watching.ts'

const whole = ['5:00 raised', '7:00 nudged', '9:00 nudged', '11:00 nudged', '13:00 escalated']

const queueOf = (world: World, id: SessionId) =>
  world.database.read.selectFrom('queue_items').selectAll().where('session_id', '=', id).orderBy('seq').execute()

describeBoth('a session that has gone quiet', (open) => {
  it('raises an alert after 5:00, is nudged at 7:00, 9:00 and 11:00, and is escalated at 13:00', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const id = await world.session(ann)
    await world.do({ type: 'session.touch', id, tool: 'grep' })
    await using watch = startWatch(world)
    await goTo(world, start, 4.99, watch)
    expect(await alertsOf(world, id)).toEqual([])
    await goTo(world, start, 5, watch)
    expect(await alertsOf(world, id)).toMatchObject([
      { status: 'pending', cause: 'silent', lastTool: 'grep', idleSeconds: 300, nudgeCount: 0, closedAt: null },
    ])
    expect(await sessionOf(world, id)).toMatchObject({ connectivityStatus: 'stalled', nudgeCount: 0 })
    await goTo(world, start, 7, watch)
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'nudged', nudgeCount: 1, nudgeMessage: null }])
    await goTo(world, start, 60, watch)
    expect(await timeline(world, start, id)).toEqual(whole)
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'escalated', nudgeCount: 3, nextAt: null }])
    expect(await sessionOf(world, id)).toMatchObject({ connectivityStatus: 'stalled', nudgeCount: 3 })
    expect((await messagesOf(world, ann, id)).map(({ role }) => role)).toEqual(Array(5).fill('system'))
  })

  it('gets each nudge through its queue, without the ones it missed before', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    await using watch = startWatch(world)
    await goTo(world, start, 14, watch)
    expect(await queueOf(world, id)).toMatchObject([
      { status: 'dropped', place: 'now', added_by: 'system:watchdog' },
      { status: 'dropped', place: 'now', added_by: 'system:watchdog' },
      { status: 'waiting', place: 'now', added_by: 'system:watchdog', words: world.settings.stall.message },
    ])
  })

  it('notifies the whole channel when it is escalated, and its people at every step', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    await using watch = startWatch(world)
    await goTo(world, start, 14, watch)
    const events = await world.database.read.selectFrom('events').selectAll().where('type', 'like', 'alert.%').execute()
    expect(events.map(({ visibility }) => visibility)).toEqual(Array(5).fill('owner'))
    expect(events.map(({ session_id }) => session_id)).toEqual(Array(5).fill(id))
    const escalated = events.find(({ type }) => type === 'alert.escalated')
    expect(JSON.parse(String(escalated?.data))).toMatchObject({ mention: 'channel', nudges: 3 })
  })

  // Before the alert, right at it, between nudges, right at one, right before the end.
  it.each([0, 3, 4.99, 5, 6, 7, 8, 10.5, 11, 12.99])(
    'continues where it was after a restart at minute %d',
    async (minute) => {
      await using world = await open()
      const start = world.clock.now()
      const id = await world.session(await world.person())
      {
        await using before = startWatch(world)
        await goTo(world, start, minute, before)
      }
      await using again = await world.join()
      await using after = startWatch(world, again.app)
      await goTo(world, start, 60, after)
      expect(await timeline(world, start, id)).toEqual(whole)
    },
  )

  it('does not get everything at once after the server was down for long', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    {
      await using before = startWatch(world)
      await goTo(world, start, 7, before)
    }
    world.clock.advance(minutes(53))
    await using again = await world.join()
    await using after = startWatch(world, again.app)
    await goTo(world, start, 90, after)
    expect(await timeline(world, start, id)).toEqual([
      ...whole.slice(0, 2),
      '60:00 nudged',
      '62:00 nudged',
      '64:00 escalated',
    ])
  })

  it('raises its alert at once if the whole time passed while the server was down', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    world.clock.advance(minutes(30))
    await using watch = startWatch(world)
    await goTo(world, start, 33, watch)
    expect(await timeline(world, start, id)).toEqual(['30:00 raised', '32:00 nudged'])
    expect(await alertsOf(world, id)).toMatchObject([{ idleSeconds: 1800 }])
  })

  it('is handled once by two servers that check at the same time', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    await using other = await world.join()
    await using one = startWatch(world)
    await using two = startWatch(world, other.app)
    await goTo(world, start, 60, one, two)
    expect(await timeline(world, start, id)).toEqual(whole)
  })

  it('is watched by the other server when one is gone', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    await using other = await world.join()
    await using two = startWatch(world, other.app)
    {
      await using one = startWatch(world)
      await goTo(world, start, 8, one, two)
    }
    await goTo(world, start, 60, two)
    expect(await timeline(world, start, id)).toEqual(whole)
  })

  it('is ignored while detection is off, and watched once it is on', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    const on = world.settings
    world.settings = { ...on, stall: { ...on.stall, enabled: false } }
    await using watch = startWatch(world)
    await goTo(world, start, 21, watch)
    expect(await alertsOf(world, id)).toEqual([])
    world.settings = on
    await goTo(world, start, 26, watch)
    expect(await timeline(world, start, id)).toEqual(['25:00 raised'])
  })

  it('is watched with the configured times', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    const stall = { ...world.settings.stall, inactivityMs: minutes(1), escalationMs: minutes(0.5), maxRetries: 1 }
    world.settings = { ...world.settings, stall }
    await using watch = startWatch(world)
    await goTo(world, start, 10, watch)
    expect(await timeline(world, start, id)).toEqual(['1:00 raised', '1:30 nudged', '2:00 escalated'])
  })
})
