import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createBackpressure } from './backpressure.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function stage() {
  let to = 0
  let changes = 0
  const pace = createBackpressure({ to: () => to, changed: () => void (changes += 1) })
  return {
    pace,
    print(bytes: number) {
      to += bytes
      pace.moved()
    },
    changes: () => changes,
  }
}

const reader = { from: 0, lag: 100, patienceMs: 1000, stuck() {} }

it('a reader too far behind pauses the program until it has caught up enough', () => {
  const { pace, print } = stage()
  const one = pace.join(reader)
  print(100)
  expect(pace.isHeld()).toBe(false)
  print(1)
  expect(pace.isHeld()).toBe(true)
  one.taken(50)
  expect([pace.isHeld(), pace.taken()]).toEqual([false, 50])
  one.leave()
  expect(pace.taken()).toBe(Number.POSITIVE_INFINITY)
})

it('a reader that takes nothing is not waited for until it has caught up', () => {
  const { pace, print } = stage()
  const stuck = vi.fn()
  const one = pace.join({ ...reader, stuck })
  print(200)
  vi.advanceTimersByTime(999)
  expect([pace.isHeld(), stuck.mock.calls.length]).toEqual([true, 0])
  one.taken(1)
  vi.advanceTimersByTime(999)
  expect([pace.isHeld(), stuck.mock.calls.length]).toEqual([true, 0])
  vi.advanceTimersByTime(1)
  expect([pace.isHeld(), stuck.mock.calls.length]).toEqual([false, 1])
  one.taken(2)
  expect(pace.isHeld()).toBe(false)
  one.taken(150)
  print(100)
  expect(pace.isHeld()).toBe(true)
})

it('a late reader catches up first, and pauses nobody', () => {
  const { pace, print } = stage()
  print(1000)
  const one = pace.join(reader)
  expect([pace.isHeld(), pace.taken()]).toEqual([false, 0])
  one.taken(950)
  print(100)
  expect(pace.isHeld()).toBe(true)
})
