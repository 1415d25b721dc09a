import { expect, it } from 'vitest'
import type { Json } from '../../src/lib/json.ts'
import { describeBoth, type World } from '../world.ts'

describeBoth('C12 the state of an adapter of the Chat SDK', (open) => {
  const instance = { name: 'teams', platform: 'teams' }
  /** A clock that a test moves. */
  function stateOf(world: World, of = instance) {
    const time = { now: 1_000_000 }
    return { time, state: world.app.chat.bridgeState(of, () => time.now) }
  }

  it('keeps values until they expire', async () => {
    await using world = await open()
    const { state, time } = stateOf(world)
    await state.connect()
    expect(await state.get('a')).toBeNull()
    await state.set('a', { n: 1 })
    await state.set('b', 'x', 100)
    expect([await state.get('a'), await state.get('b')]).toEqual([{ n: 1 }, 'x'])
    expect([await state.setIfNotExists('b', 'y', 100), await state.setIfNotExists('c', 'z')]).toEqual([false, true])
    time.now += 100
    expect([await state.get('a'), await state.get('b')]).toEqual([{ n: 1 }, null])
    expect([await state.setIfNotExists('b', 'y'), await state.setIfNotExists('a', 2)]).toEqual([true, false])
    await state.delete('b')
    expect(await state.get('b')).toBeNull()
    await state.disconnect()
  })

  it('knows subscriptions', async () => {
    await using world = await open()
    const { state } = stateOf(world)
    await state.subscribe('t')
    await state.subscribe('t')
    expect([await state.isSubscribed('t'), await state.isSubscribed('u')]).toEqual([true, false])
    await state.unsubscribe('t')
    expect(await state.isSubscribed('t')).toBe(false)
  })

  it('gives a lock to one at a time, and never revives it', async () => {
    await using world = await open()
    const { state, time } = stateOf(world)
    const lock = await state.acquireLock('t', 100)
    expect(lock).toMatchObject({ threadId: 't', expiresAt: time.now + 100 })
    expect(await state.acquireLock('t', 100)).toBeNull()
    time.now += 50
    expect(await state.extendLock(lock!, 100)).toBe(true)
    expect(await state.extendLock({ ...lock!, token: 'other' }, 100)).toBe(false)
    time.now += 100
    expect(await state.extendLock(lock!, 100)).toBe(false)
    const next = await state.acquireLock('t', 100)
    await state.releaseLock(lock!)
    expect([next === null, await state.acquireLock('t', 100)]).toEqual([false, null])
    await state.releaseLock(next!)
    expect(await state.acquireLock('t', 100)).not.toBeNull()
    await state.forceReleaseLock('t')
    expect(await state.acquireLock('t', 100)).not.toBeNull()
  })

  it('keeps the newest of a list, and renews its time', async () => {
    await using world = await open()
    const { state, time } = stateOf(world)
    for (const n of [1, 2, 3, 4]) await state.appendToList('l', n, { maxLength: 3, ttlMs: 100 })
    expect(await state.getList('l')).toEqual([2, 3, 4])
    time.now += 60
    await state.appendToList('l', 5, { maxLength: 3, ttlMs: 100 })
    time.now += 60
    expect(await state.getList('l')).toEqual([3, 4, 5])
    time.now += 60
    expect(await state.getList('l')).toEqual([])
    await state.appendToList('l', 6)
    expect(await state.getList('l')).toEqual([6])
  })

  it('queues in order, also when several append at once', async () => {
    await using world = await open()
    const { state } = stateOf(world)
    const depths = await Promise.all([1, 2, 3, 4, 5].map((n) => state.enqueue('t', n, 4)))
    expect([depths.toSorted((a, b) => a - b), await state.queueDepth('t')]).toEqual([[1, 2, 3, 4, 4], 4])
    const taken: Json[] = []
    for (let next = await state.dequeue('t'); next !== null; next = await state.dequeue('t')) taken.push(next)
    expect(taken).toHaveLength(4)
    expect([new Set(taken).size, await state.queueDepth('t')]).toEqual([4, 0])
  })

  it('is apart for each instance', async () => {
    await using world = await open()
    const first = stateOf(world).state
    const second = stateOf(world, { name: 'teams-2', platform: 'teams' }).state
    await first.set('a', 1)
    await first.appendToList('l', 1)
    expect([await second.get('a'), await second.getList('l')]).toEqual([null, []])
    await second.set('a', 2)
    const keys = await world.database.read.selectFrom('chat_sdk_kv').select('key').orderBy('key').execute()
    expect(keys.map(({ key }) => key)).toEqual(['a', 'teams-2/a'])
  })
})
