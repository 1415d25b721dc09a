import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { MessageId } from '../../src/domain/message/schema.ts'
import type { QueueItemId, QueuePlace } from '../../src/domain/queue/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, newSession, system, type Person, type World } from '../world.ts'
import { hosted, messagesOf } from './agent-session.ts'

describeBoth('a queue', (open) => {
  const add = async (world: World, who: Person, sessionId: SessionId, words: string, when: QueuePlace = 'next') => {
    const id = newId<QueueItemId>()
    await world.do({ type: 'queue.add', id, sessionId, text: words, when }, who)
    return id
  }
  const settle = (id: QueueItemId, sessionId: SessionId): Command => ({
    type: 'queue.settle',
    id,
    sessionId,
    outcome: 'ended',
  })
  const next = async (world: World, id: SessionId) => (await world.app.read.headOfQueue(id)).next?.text
  const send = async (world: World, sessionId: SessionId) => {
    const { next: item } = await world.app.read.headOfQueue(sessionId)
    if (!item) return null
    await world.do({ type: 'queue.send', id: item.id, sessionId, messageId: newId<MessageId>() })
    await world.do(settle(item.id, sessionId))
    return item.text
  }

  it('is taken in order: now before next before later, each first come, first served', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const places: [string, QueuePlace][] = [
      ['l1', 'later'],
      ['n1', 'next'],
      ['!1', 'now'],
      ['n2', 'next'],
      ['l2', 'later'],
      ['!2', 'now'],
    ]
    for (const [words, when] of places) await add(world, ann, id, words, when)
    const order: (string | null)[] = []
    for (let count = 0; count < 7; count += 1) order.push(await send(world, id))
    expect(order).toEqual(['!1', '!2', 'n1', 'n2', 'l1', 'l2', null])
    expect((await messagesOf(world, ann, id)).map(({ content }) => 'text' in content && content.text)).toEqual(
      order.slice(0, 6),
    )
  })

  it('keeps the running prompt apart from the next', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const [one] = [await add(world, ann, id, 'one'), await add(world, ann, id, 'two')]
    await world.do({ type: 'queue.send', id: one, sessionId: id, messageId: newId<MessageId>() })
    expect(await world.app.read.headOfQueue(id)).toMatchObject({ sent: { text: 'one' }, next: { text: 'two' } })
    expect(await world.refused({ type: 'queue.drop', id: one, sessionId: id, reason: null }, ann)).toMatchObject({
      code: 'already_sent',
    })
    await world.do(settle(one, id))
    expect(await world.do(settle(one, id))).toMatchObject({ events: [] })
    const who = await world.app.read.standing(ann)
    expect(await world.app.read.queue(who, id)).toMatchObject({
      value: [
        { text: 'one', status: 'delivered', deliveredAt: expect.any(String) },
        { text: 'two', status: 'waiting', deliveredAt: null },
      ],
    })
  })

  it('read by two at once gives each prompt once', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const item = await add(world, ann, id, 'one')
    const tries = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.app.dispatch({ type: 'queue.send', id: item, sessionId: id, messageId: newId<MessageId>() }, system),
      ),
    )
    expect(tries.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await messagesOf(world, ann, id)).toHaveLength(1)
  })

  it('moves to the session that continues: waiting prompts first, then the new one', async () => {
    await using world = await open()
    const ann = await world.person()
    const old = await hosted(world, ann)
    const sent = await add(world, ann, old, 'running')
    await world.do({ type: 'queue.send', id: sent, sessionId: old, messageId: newId<MessageId>() })
    await add(world, ann, old, 'waiting')
    const dropped = await add(world, ann, old, 'dropped')
    await world.do({ type: 'queue.drop', id: dropped, sessionId: old, reason: null }, ann)
    const session = newSession(ann, { protocolMode: 'acp', prompt: 'new' })
    const promptItem = newId<QueueItemId>()
    await world.do(
      { type: 'session.start', session, active: false, restartOf: old, promptItem, hostedBy: 'first' },
      ann,
    )
    await world.do({ type: 'session.activate', id: session.id, reason: null })
    expect(await next(world, old)).toBeUndefined()
    expect([await send(world, session.id), await send(world, session.id), await send(world, session.id)]).toEqual([
      'waiting',
      'new',
      null,
    ])
    const who = await world.app.read.standing(ann)
    expect(await world.app.read.queue(who, old)).toMatchObject({
      value: [{ text: 'running' }, { text: 'dropped' }],
    })
    expect(await world.app.read.queueItem(who, old, sent)).toMatchObject({ ok: true })
    expect(await world.app.read.queueItem(who, session.id, sent)).toMatchObject({ ok: false })
  })

  it('is for those who may steer the session', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const id = await hosted(world, ann)
    const command = { type: 'queue.add', id: newId<QueueItemId>(), sessionId: id, text: 'x', when: 'next' } as const
    expect((await world.refused(command, bea)).kind).toBe('not_found')
    const item = await add(world, ann, id, 'one')
    expect((await world.refused({ type: 'queue.drop', id: item, sessionId: id, reason: null }, bea)).kind).toBe(
      'not_found',
    )
    const sending = { type: 'queue.send', id: item, sessionId: id, messageId: newId<MessageId>() } as const
    expect((await world.refused(sending, ann)).kind).toBe('forbidden')
  })
})
