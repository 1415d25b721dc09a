import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { derivedId } from './derived-id.ts'
import { idOf } from './id.ts'

const cause = fc.tuple(fc.uuid(), fc.nat(), fc.constantFrom('text', 'thought', 'tool', 'plan', 'note', 'ask'))

describe('a derived id', () => {
  it('is a valid id, and the same for the same cause', () => {
    fc.assert(
      fc.property(cause, (parts) => {
        const id = derivedId<string>(...parts)
        expect(idOf('AnyId').parse(id)).toBe(id)
        expect(id[14]).toBe('8')
        expect(derivedId(...parts)).toBe(id)
      }),
    )
  })

  it('differs for another place, another kind of effect, another process', () => {
    fc.assert(
      fc.property(cause, cause, (one, other) => {
        fc.pre(one.join() !== other.join())
        expect(derivedId(...one)).not.toBe(derivedId(...other))
      }),
    )
  })
})
