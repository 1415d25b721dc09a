import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { MessageContent } from '../../src/domain/message/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId, newRandomId } from '../../src/lib/id.ts'
import { describeBoth, newSession, system, type Person, type World } from '../world.ts'
import { at, hosted, messagesOf, record, search, text, write } from './agent-session.ts'

const eventsOf = async (world: World, id: SessionId) =>
  (
    await world.database.read
      .selectFrom('events')
      .select(['type'])
      .where('session_id', '=', id)
      .orderBy('seq')
      .execute()
  ).map(({ type }) => type)

describeBoth('an agent’s text', (open) => {
  it('is stored together with the read position: both, or neither', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const one = write(text('Hello'))
    await world.do(record(id, 40, [one], { state: { applied: 50 }, held: [{ offset: 45 }], about: { title: 'T' } }))
    expect(await world.app.read.agent(id)).toMatchObject({
      offset: 40,
      state: { applied: 50 },
      held: [{ offset: 45 }],
      about: { title: 'T' },
    })
    const before = await world.tables()
    // The second of two writes breaks a constraint: the first must be rolled back too.
    const twice = write(text('x'))
    await expect(world.app.dispatch(record(id, 80, [twice, twice]), system)).rejects.toThrow()
    expect(await world.tables()).toEqual(before)
  })

  it('leaves unchanged what is omitted', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    await world.do(record(id, 1, [], { state: { applied: 1 }, held: [1], about: { title: 'T' }, stderr: 'oh' }))
    await world.do(record(id, 2, []))
    expect(await world.app.read.agent(id)).toMatchObject({
      offset: 2,
      state: { applied: 1 },
      held: [1],
      about: { title: 'T' },
      stderr: 'oh',
    })
  })

  it('takes effect once, even if repeated', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const [growing, whole] = [write(text('a', true), { final: false }), write(text('b'))]
    await world.do(record(id, 10, [growing, whole]))
    const before = await world.tables()
    await world.do(record(id, 10, [growing, whole]))
    expect(await world.tables()).toEqual(before)
  })

  it('grows in place, keeps its time, and is completed and found once', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const first = write(text('once upon', true), { final: false })
    await world.do(record(id, 10, [first]))
    await world.do(record(id, 20, [{ ...first, content: text('once upon a', true) }]))
    expect(await search(world, ann, 'once')).toEqual([])
    const whole = { ...first, content: text('once upon a time'), final: true }
    const done = await world.do(record(id, 30, [whole]))
    expect(done.events.map(({ type }) => type)).toEqual(['message.completed'])
    const again = await world.do(record(id, 30, [whole]))
    expect(again.events).toEqual([])
    expect(await messagesOf(world, ann, id)).toMatchObject([
      { id: first.id, content: text('once upon a time'), timestamp: at },
    ])
    expect((await eventsOf(world, id)).filter((type) => type.startsWith('message.'))).toEqual([
      'message.added',
      'message.completed',
    ])
    expect(await search(world, ann, 'once')).toEqual([first.id])
  })

  it('is stored even if its session has just ended', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    await world.do({ type: 'session.cancel', id, reason: null }, ann)
    await world.do(record(id, 10, [write(text('last words'))], { stderr: 'bye' }))
    expect(await messagesOf(world, ann, id)).toContainEqual(expect.objectContaining({ content: text('last words') }))
    const stderr = await world.app.read.stderr(await world.app.read.standing(ann), id)
    expect(stderr).toEqual({ ok: true, value: 'bye' })
  })

  it('may contain any character: text, actions, error output', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const odd = 'a\0b \uD83D 🚂 "quoted" \u2028'
    const call: MessageContent = { type: 'tool', tool: 'x', args: { odd }, title: odd, status: 'completed' }
    await world.do(
      record(id, 10, [write(text(odd)), write(call, { role: 'system' })], { held: [odd], about: { title: odd } }),
    )
    expect((await messagesOf(world, ann, id)).map(({ content }) => content)).toEqual([text(odd), call])
    expect(await search(world, ann, 'quoted')).toHaveLength(2)
  })

  it('can only be written by the system', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    expect((await world.refused(record(id, 1, []), ann)).kind).toBe('forbidden')
    expect((await world.refused({ type: 'agent.host', id, nodeId: 'x' }, ann)).kind).toBe('forbidden')
  })
})

describeBoth('a hosted session', (open) => {
  it('is listed for its node until it ends, and a recovered one starts again but is remembered', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const elsewhere = await world.session(ann)
    expect(await world.app.read.hosted('first')).toEqual([{ id, status: 'active', phase: 'awake', since: null }])
    expect(await world.app.read.hosted('second')).toEqual([])
    expect(await world.app.read.agent(elsewhere)).toBeUndefined()
    await world.do(
      record(id, 99, [], { state: { applied: 99 }, held: [1], about: { agentSessionId: 's' }, stderr: 'x' }),
    )
    await world.do({ type: 'session.interrupt', id, reason: null })
    expect(await world.app.read.hosted('first')).toEqual([])
    await world.do({ type: 'agent.host', id, nodeId: 'second' })
    expect(await world.app.read.agent(id)).toEqual({
      sessionId: id,
      nodeId: 'second',
      crashes: 0,
      crashedAt: null,
      offset: 0,
      about: { agentSessionId: 's' },
      state: {},
      held: [],
      stderr: '',
    })
    await world.do({ type: 'session.recover', id, reason: null })
    expect(await world.app.read.hosted('second')).toMatchObject([{ id, status: 'active' }])
  })

  it('shows what is known of its agent, and says so if nothing is', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const who = await world.app.read.standing(ann)
    await world.do(record(id, 1, [], { about: { title: 'T' }, state: { usage: { used: 1, size: 2, costUsd: null } } }))
    expect(await world.app.read.agentState(who, id)).toMatchObject({
      value: { title: 'T', usage: { used: 1 }, turn: null, commands: [] },
    })
    const own = await world.session(ann)
    expect(await world.app.read.agentState(who, own)).toMatchObject({ fault: { code: 'not_hosted' } })
    const facts = { now: world.clock.now(), silentAfterMs: 1000 }
    expect(await world.app.read.diagnosis(who, own, facts)).toMatchObject({ value: { cause: 'idle' } })
  })

  it('that does not exist has nothing recorded', async () => {
    await using world = await open()
    const fault = await world.refused(record(newRandomId<SessionId>(), 1, [write(text('x'))]))
    expect(fault.code).toBe('session_not_found')
  })
})

describeBoth('a check', (open) => {
  it('says what the command would say, and changes nothing', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    const before = await world.tables()
    const resume: Command = { type: 'session.resume', id, reason: null }
    const pause: Command = { type: 'session.pause', id, reason: null }
    expect(await world.app.check(pause, ann)).toBeNull()
    const checked = await world.app.check(resume, ann)
    expect(await world.tables()).toEqual(before)
    expect(checked).toEqual(await world.app.dispatch(resume, ann))
  })

  it('refuses like the command: no permission, not found, too many', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const id = await world.session(ann)
    const stranger: Person = { kind: 'person', userId: newId<UserId>(), scope: 'full' }
    world.settings = { ...world.settings, limits: { ...world.settings.limits, acp: 0 } }
    const session = newSession(ann, { protocolMode: 'acp' })
    const cases: [Command, Person][] = [
      [{ type: 'session.pause', id, reason: null }, bea],
      [{ type: 'session.pause', id, reason: null }, stranger],
      [
        { type: 'session.pause', id, reason: null },
        { ...ann, scope: 'read' },
      ],
      [{ type: 'session.pause', id: newRandomId<SessionId>(), reason: null }, ann],
      [{ type: 'session.start', session, active: false, restartOf: null }, ann],
    ]
    for (const [command, who] of cases) {
      const refused = await world.app.dispatch(command, who)
      expect(refused.ok).toBe(false)
      expect(await world.app.check(command, who)).toEqual(refused)
    }
  })

  it('recognises a used key, whatever it was for, and uses none itself', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const id = await world.session(ann)
    const pause: Command = { type: 'session.pause', id, reason: null }
    expect(await world.app.check(pause, ann, { key: 'k' })).toBeNull()
    await world.do(pause, ann, 'k')
    expect(await world.app.check(pause, ann, { key: 'k' })).toBe('repeated')
    expect(await world.app.check({ type: 'session.resume', id, reason: null }, ann, { key: 'k' })).toBe('repeated')
    expect(await world.app.check(pause, bea, { key: 'k' })).toMatchObject({ ok: false })
  })
})
