import { expect, it, vi } from 'vitest'
import { createTurns } from './turns.ts'

const turns = (more: { mostEach?: number; mostWaiting?: number; patienceMs?: number } = {}) =>
  createTurns({
    atOnce: 1,
    mostEach: 10,
    mostWaiting: 100,
    patienceMs: 60_000,
    refusal: () => new Error('too many'),
    ...more,
  })

it('everyone has one before anyone has a second', async () => {
  const { take } = turns()
  const order: string[] = []
  const one = async (who: string): Promise<void> => {
    const over = await take(who)
    order.push(who)
    await Promise.resolve()
    over()
  }
  await Promise.all(['eve', 'eve', 'eve', 'eve', 'ann', 'bob', 'ann'].map(one))
  expect(order).toEqual(['eve', 'eve', 'ann', 'bob', 'eve', 'ann', 'eve'])
})

it('a caller that waits for too much is refused, and nobody else', async () => {
  const { take } = turns({ mostEach: 2 })
  const over = await take('eve')
  const waiting = [take('eve'), take('eve')]
  await expect(take('eve')).rejects.toThrow('too many')
  const ann = take('ann')
  over()
  for (const one of [...waiting, ann]) void one.then((giveBack) => giveBack())
  expect(await Promise.all([...waiting, ann])).toHaveLength(3)
})

it('a turn returned twice is one turn', async () => {
  const { take } = turns()
  const over = await take('ann')
  over()
  over()
  const held = await take('ann')
  let came = false
  const second = take('bob').then((done) => {
    came = true
    return done
  })
  await Promise.resolve()
  expect(came).toBe(false)
  held()
  ;(await second)()
})

it('a caller that has waited too long is refused, and delays nobody', async () => {
  const { take } = turns({ patienceMs: 1 })
  const over = await take('eve')
  await expect(take('ann')).rejects.toThrow('too many')
  over()
  ;(await take('bob'))()
})

it('once closed, it calls nobody back, and leaves no timer', async () => {
  vi.useFakeTimers()
  try {
    const { take, close } = turns()
    await take('ann')
    let told = false
    void take('bob').finally(() => (told = true))
    close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect({ told, timers: vi.getTimerCount() }).toEqual({ told: false, timers: 0 })
  } finally {
    vi.useRealTimers()
  }
})
