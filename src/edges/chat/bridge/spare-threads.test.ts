import { expect, it } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { createSpareThreads } from './spare-threads.ts'
import type { HostThread } from './thread.ts'

function scene(ms: number) {
  let [started, ended] = [0, 0]
  const end = Promise.withResolvers<string>()
  const make = (): HostThread => {
    started += 1
    return {
      call: (() => Promise.resolve()) as unknown as HostThread['call'],
      ended: end.promise,
      async [Symbol.asyncDispose]() {
        ended += 1
      },
    }
  }
  const use = createSpareThreads(async (start) => start(), ms)
  return { request: (key = 'k') => use('i', key, make, async () => 'done'), counts: () => [started, ended], end }
}

it('requests share one thread, which ends when none came for a while', async () => {
  const { request, counts } = scene(20)
  expect(await Promise.all([request(), request(), request()])).toEqual(['done', 'done', 'done'])
  await request()
  expect(counts()).toEqual([1, 0])
  await until(() => counts()[1] === 1, { what: 'its end' })
  await request()
  expect(counts()[0]).toBe(2)
})

it('other credentials, or a thread that ended, need a new one', async () => {
  const { request, counts, end } = scene(60_000)
  await request('old')
  await request('new')
  expect(counts()[0]).toBe(2)
  await until(() => counts()[1] === 1, { what: 'the end of the first' })
  end.resolve('crashed')
  await until(async () => {
    await request('new')
    return counts()[0] === 3
  })
})
