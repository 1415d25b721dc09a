import { expect, it } from 'vitest'
import { systemStanding } from '../../domain/user/actor.ts'
import { fail, ok } from '../../lib/result.ts'
import { createCachedPages } from './cached-pages.ts'

const [ann, ben] = [systemStanding('ann'), systemStanding('ben')]

it('reads a page again after anything was written, for somebody else, and if nobody can tell', async () => {
  let version: number | null = 1
  let reads = 0
  const cached = createCachedPages(() => version)
  const look = async (who = ann, limit = 20) =>
    (await cached(who, { limit }, async () => ok({ read: (reads += 1) }))).value.read
  expect(await look()).toBe(1)
  expect(await look()).toBe(1)
  expect(await look(ann, 10)).toBe(2)
  expect(await look(ben)).toBe(3)
  version = 2
  expect(await look()).toBe(4)
  version = null
  expect(await look()).toBe(5)
  expect(await look()).toBe(6)
})

it('keeps nothing that was read while something was written', async () => {
  let version = 1
  const cached = createCachedPages(() => version)
  const look = (read: () => number) => cached(ann, {}, async () => ok({ n: read() }))
  expect(await look(() => (version += 1))).toEqual(ok({ n: 2 }))
  expect(await look(() => 7)).toEqual(ok({ n: 7 }))
})

it('keeps no fault', async () => {
  const cached = createCachedPages(() => 1)
  const fault = fail({ kind: 'unavailable', code: 'busy', message: 'Busy.' })
  expect(await cached(ann, {}, async () => fault)).toBe(fault)
  expect(await cached(ann, {}, async () => ok({ n: 1 }))).toEqual(ok({ n: 1 }))
})
