import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPool } from '../../lib/pool.ts'
import { createBlocks } from './blocks.ts'

const letters = (from: number, length: number) => Buffer.from(Array.from({ length }, (_, at) => (from + at) % 251))

describe('blocks of a pool', () => {
  it('return what was added, whatever happens to the source memory', () => {
    const step = fc.record({ add: fc.nat(300), drop: fc.nat(400) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const pool = createPool(64, 3)
        const blocks = createBlocks(pool)
        let [from, to] = [0, 0]
        for (const { add, drop } of steps) {
          const given = letters(to, add)
          blocks.append(given, to)
          given.fill(255)
          to += add
          for (let at = from; at < to;) {
            const piece = blocks.read(at, 50)
            expect(piece && Buffer.compare(piece, letters(at, piece.length))).toBe(0)
            at += piece?.length ?? to
          }
          from = Math.min(to, from + drop)
          blocks.drop(from)
        }
      }),
    )
  })

  it('reuse what was dropped, but not what may still be read', () => {
    const pool = createPool(64, 3)
    const blocks = createBlocks(pool)
    blocks.append(letters(0, 192), 0)
    const [first, last] = [blocks.read(0, 64), blocks.read(128, 64)]
    blocks.drop(192, 100)
    blocks.append(Buffer.alloc(64, 255), 192)
    expect(first).toEqual(letters(0, 64))
    expect(last).toEqual(Buffer.alloc(64, 255))
  })
})
