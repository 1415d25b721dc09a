import { expect, it, vi } from 'vitest'
import { lazy, lazyMethods, once } from './lazy.ts'

const counter = () => ({
  count: 0,
  async add(by: number) {
    return (this.count += by)
  },
})

it('loads on first use, and once', async () => {
  const load = vi.fn(async () => counter())
  const part = lazy(load)
  expect([part.loaded, await part.requested(), load.mock.calls.length]).toEqual([undefined, undefined, 0])
  const [first, second] = await Promise.all([part.get(), part.get()])
  expect(first).toBe(second)
  expect(part.loaded).toBe(first)
  expect(load).toHaveBeenCalledTimes(1)
})

it('waits for a load in progress', async () => {
  const part = lazy(async () => counter())
  void part.get()
  expect(await part.requested()).toBe(await part.get())
})

it('returns methods that load the part on their first call', async () => {
  const part = lazy(async () => counter())
  const { add } = lazyMethods(part, ['add'])
  expect(part.loaded).toBeUndefined()
  expect(await add(2)).toBe(2)
  expect(await add(3)).toBe(5)
  expect(part.loaded?.count).toBe(5)
})

it('makes a value once, even if there is nothing to it', () => {
  const make = vi.fn(() => undefined)
  const get = once(make)
  expect(make).not.toHaveBeenCalled()
  expect([get(), get()]).toEqual([undefined, undefined])
  expect(make).toHaveBeenCalledTimes(1)
})
