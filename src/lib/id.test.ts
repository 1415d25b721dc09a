import { randomUUIDv7 } from 'node:crypto'
import { expect, test } from 'vitest'
import { ownUuidV7 } from './id.ts'

const shape = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

test('ids that Node 22 can make have the shape and the time of those of Node 24', () => {
  const now = Date.now()
  const ids = Array.from({ length: 1000 }, () => ownUuidV7(now))
  for (const id of ids) expect(id).toMatch(shape)
  expect(new Set(ids).size).toBe(1000)
  const time = (id: string) => Number.parseInt(id.replace('-', '').slice(0, 12), 16)
  expect(time(ownUuidV7(now))).toBe(now)
  expect(Math.abs(time(randomUUIDv7()) - now)).toBeLessThan(60_000)
  expect(ownUuidV7(1) < ownUuidV7(2)).toBe(true)
})
