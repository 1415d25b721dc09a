import { expect, it } from 'vitest'
import { systemStanding } from '../../domain/user/actor.ts'
import { createKeptPages } from './sessions.ts'

it('reads a page again after any write, for someone else, and if it can’t be decided', async () => {
  let version: number | null = 1
  let reads = 0
  const kept = createKeptPages<{ read: number }>(() => version)
  const [ann, ben] = [systemStanding('ann'), systemStanding('ben')]
  const look = (who = ann, limit = 20) => kept(who, { limit }, async () => ({ read: (reads += 1) }))
  const first = await look()
  expect(await look()).toBe(first)
  expect((await look(ann, 10)).read).toBe(2)
  expect((await look(ben)).read).toBe(3)
  version = 2
  expect((await look()).read).toBe(4)
  version = null
  expect((await look()).read).toBe(5)
  expect((await look()).read).toBe(6)
})

it('caches nothing that was read during a write', async () => {
  let version = 1
  const kept = createKeptPages<number>(() => version)
  const who = systemStanding('ann')
  expect(await kept(who, {}, async () => (version += 1))).toBe(2)
  expect(await kept(who, {}, async () => 7)).toBe(7)
})
