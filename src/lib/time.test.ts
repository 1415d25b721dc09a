import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../test/support/fake-clock.ts'
import { backoff } from './backoff.ts'
import { createWakeSignal } from './wake-signal.ts'
import { systemClock, type Clock } from './clock.ts'

describe('backoff', () => {
  it('doubles up to its ceiling, and stays there', () => {
    expect([1, 2, 3, 4, 5].map((attempt) => backoff(attempt, 100, 1000))).toEqual([100, 200, 400, 800, 1000])
    expect(backoff(10_000, 100, 1000)).toBe(1000)
  })
})

describe('a wake signal', () => {
  it('wakes everyone waiting, and nobody who came after the ring', async () => {
    const signal = createWakeSignal()
    const both = Promise.all([signal.after(0, null), signal.after(0, null)])
    signal.wake()
    await both
    expect(signal.count()).toBe(1)
    let again = false
    void signal.after(1, null).then(() => (again = true))
    await Promise.resolve()
    expect(again).toBe(false)
  })

  it('does not make anyone wait who missed a ring while checking', async () => {
    const signal = createWakeSignal()
    const known = signal.count()
    signal.wake()
    await expect(signal.after(known, null)).resolves.toBeUndefined()
  })

  it('stops waiting after a time, or when told to, before or while waiting', async () => {
    const signal = createWakeSignal()
    await signal.after(0, 1)
    const stop = new AbortController()
    const waiting = signal.after(0, null, stop.signal)
    stop.abort()
    await expect(waiting).resolves.toBeUndefined()
    await expect(signal.after(0, null, stop.signal)).resolves.toBeUndefined()
  })
})

describe.each<[string, () => Clock]>([
  ['the real clock', () => systemClock],
  ['the test clock', () => fakeClock()],
])('%s', (_name, make) => {
  it('calls back soon for a time that has passed, but after `at` returned', async () => {
    const clock = make()
    const order: string[] = []
    const fired = new Promise<void>((resolve) => {
      clock.at(clock.now() - 1000, () => {
        order.push('fired')
        resolve()
      })
    })
    order.push('returned')
    await fired
    expect(order).toEqual(['returned', 'fired'])
  })

  it('never calls back once it was cancelled', async () => {
    const clock = make()
    let fired = false
    clock.at(clock.now(), () => (fired = true))[Symbol.dispose]()
    await new Promise((resolve) => clock.at(clock.now() - 1, () => resolve(undefined)))
    expect(fired).toBe(false)
  })
})

describe('the test clock', () => {
  it('fires in order of time, each at its own moment, including what was armed meanwhile', () => {
    const clock = fakeClock(0)
    const fired: [string, number][] = []
    clock.at(30, () => fired.push(['c', clock.now()]))
    clock.at(10, () => {
      fired.push(['a', clock.now()])
      clock.at(20, () => fired.push(['b', clock.now()]))
    })
    clock.advance(5)
    expect(fired).toEqual([])
    clock.advance(20)
    expect(fired).toEqual([
      ['a', 10],
      ['b', 20],
    ])
    expect(clock.timers()).toEqual([30])
    expect(clock.now()).toBe(25)
  })
})
