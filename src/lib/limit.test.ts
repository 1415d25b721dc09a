import { expect, it } from 'vitest'
import { createLimit } from './limit.ts'

it('runs the given number at once, the rest in order, also after a failure', async () => {
  const limit = createLimit(2)
  const [begun, ends]: [number[], (() => void)[]] = [[], []]
  const work = (number: number) =>
    limit(async () => {
      begun.push(number)
      await new Promise<void>((resolve) => ends.push(resolve))
      if (number === 0) throw new Error('the first one fails')
      return number
    })
  const all = Promise.allSettled([0, 1, 2, 3].map(work))
  expect(begun).toEqual([0, 1])
  for (let next = 0; next < 4; next += 1) {
    ends[next]?.()
    await new Promise(setImmediate)
    expect(begun).toEqual([0, 1, 2, 3].slice(0, Math.min(4, next + 3)))
  }
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
  expect(await limit(async () => 'still')).toBe('still')
})
