import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { MessageId } from '../../src/domain/message/schema.ts'
import type { QueueItemId } from '../../src/domain/queue/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import type { TokenId } from '../../src/domain/user/id.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/id.ts'
import { describeUsual, newAsk, newSession, until, type Person, type World } from '../world.ts'
import { hosted, record, text, write } from './agent-session.ts'
import { answers } from './samples.ts'
import { alertsOf, goTo, minutes, sessionOf, startWatch, timeline } from './stall-watching.ts'

const touch = (id: SessionId, more: object = {}): Command => ({ type: 'session.touch', id, tool: null, ...more })
const beat = (id: SessionId, more: object = {}): Command => touch(id, { beat: true, ...more })

/** An agent that connects over MCP. */
async function own(world: World, ann: Person): Promise<{ id: SessionId; agent: Actor }> {
  const tokenId = newId<TokenId>()
  const session = newSession(ann, { tokenId })
  await world.do({ type: 'session.start', session, active: true, restartOf: null }, ann)
  return { id: session.id, agent: { kind: 'agent', userId: ann.userId, tokenId, sessionId: null } }
}

/** A hosted agent with a delivered prompt. */
async function inTurn(world: World, ann: Person): Promise<{ id: SessionId; itemId: QueueItemId }> {
  const id = await hosted(world, ann)
  const itemId = newId<QueueItemId>()
  await world.do({ type: 'queue.add', id: itemId, sessionId: id, text: 'work', when: 'next' }, ann)
  await world.do({ type: 'queue.send', id: itemId, sessionId: id, messageId: newId<MessageId>() })
  return { id, itemId }
}

const closed = (world: World, id: SessionId) =>
  until(async () => {
    const [newest] = await alertsOf(world, id)
    return newest?.closedAt === null ? null : newest
  })

describeUsual('activity', (open) => {
  it.each([
    ['the alert', 6, 0],
    ['the first nudge', 8, 1],
    ['the last nudge', 12, 3],
    ['the escalation', 20, 3],
  ] as const)('after %s closes the alert, and the clock starts again', async (_name, minute, nudges) => {
    await using world = await open()
    const start = world.clock.now()
    const { id, agent } = await own(world, await world.person())
    await using watch = startWatch(world)
    await goTo(world, start, minute, watch)
    await world.do(touch(id, { tool: 'grep' }), agent)
    expect(await alertsOf(world, id)).toMatchObject([
      { status: 'self_recovered', nudgeCount: nudges, nextAt: null, closedAt: iso(start + minutes(minute)) },
    ])
    expect(await sessionOf(world, id)).toMatchObject({ connectivityStatus: 'online', nudgeCount: 0 })
    await goTo(world, start, minute + 4.9, watch)
    expect(await alertsOf(world, id)).toHaveLength(1)
    await goTo(world, start, minute + 5, watch)
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'pending', lastTool: 'grep' }, {}])
  })

  it('before the time is up postpones the alert', async () => {
    await using world = await open()
    const start = world.clock.now()
    const { id, agent } = await own(world, await world.person())
    await using watch = startWatch(world)
    for (const minute of [4, 8, 12]) {
      await goTo(world, start, minute, watch)
      await world.do(touch(id), agent)
    }
    await goTo(world, start, 17, watch)
    expect(await timeline(world, start, id)).toEqual(['17:00 raised'])
  })

  it('counts when a hosted agent says it, not when we note something about it', async () => {
    await using world = await open()
    const start = world.clock.now()
    const { id } = await inTurn(world, await world.person())
    await using watch = startWatch(world)
    await goTo(world, start, 4, watch)
    await world.do(record(id, 10, [write(text('still here'))], { heard: true }))
    await goTo(world, start, 9, watch)
    expect(await timeline(world, start, id)).toEqual(['9:00 raised'])
    await world.do(record(id, 10, [], { state: { turn: { cancelled: true } }, heard: false }))
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'pending' }])
    await world.do(record(id, 20, [write(text('sorry'))], { heard: true }))
    expect(await alertsOf(world, id)).toMatchObject([{ status: 'self_recovered' }])
  })
})

describeUsual('the stall clock', (open) => {
  it('stops while a person is asked, and starts again with the answer', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const { id, agent } = await own(world, ann)
    await using watch = startWatch(world)
    const ask = newAsk(id)
    await world.do({ type: 'ask.open', ask }, agent)
    await goTo(world, start, 50, watch)
    await world.do({ type: 'ask.answer', id: ask.id, answer: answers.approve }, ann)
    await goTo(world, start, 54.9, watch)
    expect(await alertsOf(world, id)).toEqual([])
    await goTo(world, start, 55, watch)
    expect(await timeline(world, start, id)).toEqual(['55:00 raised'])
    expect(await alertsOf(world, id)).toMatchObject([{ idleSeconds: 300, lastActivityAt: iso(start) }])
  })

  it('runs during a turn of a hosted agent, not between turns', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const { id, itemId } = await inTurn(world, ann)
    await using watch = startWatch(world)
    await goTo(world, start, 4, watch)
    await world.do({ type: 'queue.settle', id: itemId, sessionId: id, outcome: 'ended' })
    await goTo(world, start, 60, watch)
    expect(await alertsOf(world, id)).toEqual([])
    const next = newId<QueueItemId>()
    await world.do({ type: 'queue.add', id: next, sessionId: id, text: 'more', when: 'next' }, ann)
    await world.do({ type: 'queue.send', id: next, sessionId: id, messageId: newId<MessageId>() })
    await goTo(world, start, 65, watch)
    expect(await timeline(world, start, id)).toEqual(['65:00 raised'])
  })

  it('stops while a session is paused, and starts again when it is resumed', async () => {
    await using world = await open()
    const start = world.clock.now()
    const id = await world.session(await world.person())
    await using watch = startWatch(world)
    await goTo(world, start, 4, watch)
    await world.do({ type: 'session.pause', id, reason: null })
    await goTo(world, start, 60, watch)
    await world.do({ type: 'session.resume', id, reason: null })
    await goTo(world, start, 66, watch)
    expect(await timeline(world, start, id)).toEqual(['65:00 raised'])
  })

  it('stops when the owner pauses it, until they resume it', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const id = await world.session(ann)
    await using watch = startWatch(world)
    await world.do({ type: 'session.watch', id, paused: true, until: null }, ann)
    await goTo(world, start, 60, watch)
    await world.do({ type: 'session.watch', id, paused: false, until: null }, ann)
    await goTo(world, start, 66, watch)
    expect(await timeline(world, start, id)).toEqual(['65:00 raised'])
  })

  it('runs from the end of a pause or of a long operation', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const paused = await world.session(ann)
    const { id: long, agent } = await own(world, ann)
    await using watch = startWatch(world)
    const end = iso(start + minutes(30))
    await world.do({ type: 'session.watch', id: paused, paused: true, until: end }, ann)
    await world.do(beat(long, { longUntil: end }), agent)
    await goTo(world, start, 40, watch)
    expect(await timeline(world, start, paused)).toContain('35:00 raised')
    expect(await timeline(world, start, long)).toContain('35:00 raised')
  })

  it('runs again from the first heartbeat that reports no long operation', async () => {
    await using world = await open()
    const start = world.clock.now()
    const { id, agent } = await own(world, await world.person())
    await using watch = startWatch(world)
    await world.do(beat(id, { longUntil: iso(start + minutes(60)) }), agent)
    await goTo(world, start, 10, watch)
    await world.do(beat(id), agent)
    await goTo(world, start, 16, watch)
    expect(await timeline(world, start, id)).toEqual(['15:00 raised'])
  })
})

describeUsual('heartbeats', (open) => {
  const snapshot = [{ label: 'build', status: 'in_progress' as const }]

  it('without progress raise an alert of their own, three times later than silence', async () => {
    await using world = await open()
    const start = world.clock.now()
    const { id, agent } = await own(world, await world.person())
    await using watch = startWatch(world)
    await world.do(beat(id, { progress: snapshot }), agent)
    for (let minute = 1; minute <= 18; minute += 1) {
      await goTo(world, start, minute, watch)
      await world.do(beat(id, { progress: snapshot }), agent)
    }
    expect(await timeline(world, start, id)).toEqual(['15:00 raised', '17:00 nudged'])
    expect(await alertsOf(world, id)).toMatchObject([{ cause: 'no_progress', idleSeconds: 900, status: 'nudged' }])
    expect(await sessionOf(world, id)).toMatchObject({ connectivityStatus: 'online', nudgeCount: 1 })
    // Activity meanwhile closes it at the next check.
    await world.do(beat(id, { progress: [{ label: 'build', status: 'done' }] }), agent)
    await goTo(world, start, 19, watch)
    expect(await closed(world, id)).toMatchObject({ status: 'self_recovered' })
  })

  it('that report progress, or come with other calls, raise none', async () => {
    await using world = await open()
    const start = world.clock.now()
    const ann = await world.person()
    const [one, two] = [await own(world, ann), await own(world, ann)]
    await using watch = startWatch(world)
    for (let minute = 1; minute <= 40; minute += 1) {
      await goTo(world, start, minute, watch)
      const status = minute % 10 < 5 ? 'pending' : 'done'
      await world.do(beat(one.id, { progress: [{ label: 'x', status }] }), one.agent)
      await world.do(minute % 10 === 0 ? touch(two.id, { tool: 'grep' }) : beat(two.id), two.agent)
    }
    expect(await alertsOf(world, one.id)).toEqual([])
    expect(await alertsOf(world, two.id)).toEqual([])
  })
})
