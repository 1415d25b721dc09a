import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRing } from './ring.ts'

describe('a ring', () => {
  it('holds the last bytes of whatever was added, from any offset', () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4000 }), pieces, fc.nat(60_000), (limit, added, offset) => {
        const ring = createRing(limit)
        for (const piece of added) ring.append(piece)
        const all = Buffer.concat(added)
        expect([ring.from, ring.to]).toEqual([Math.max(0, all.length - limit), all.length])
        expect(ring.read(0).equals(all.subarray(ring.from))).toBe(true)
        expect(ring.read(offset, 7).equals(all.subarray(Math.max(offset, ring.from)).subarray(0, 7))).toBe(true)
      }),
    )
  })
})
