import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePlaces, formatCursor, parseCursor, start } from './cursor.ts'

const place = fc.record({ tx: fc.maxSafeNat(), seq: fc.maxSafeNat() })

describe('a cursor', () => {
  it('survives a round trip', () => {
    fc.assert(
      fc.property(place, (at) => {
        expect(parseCursor(formatCursor(at))).toEqual({ ok: true, value: at })
      }),
    )
  })

  it('is ordered by transaction, then by number', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        const expected = a.tx === b.tx ? Math.sign(a.seq - b.seq) : Math.sign(a.tx - b.tx)
        expect(Math.sign(comparePlaces(a, b))).toBe(expected)
      }),
    )
    expect(comparePlaces(start, { tx: 0, seq: 1 })).toBeLessThan(0)
  })

  it.each([
    '',
    '.',
    '1',
    '1.',
    '.1',
    '1.2.3',
    '-1.2',
    '1.-2',
    'A.1',
    ' 1.2',
    '1.2\n',
    'zzzzzzzzzzz.1',
    '1e3.%',
    `${'9'.repeat(12)}.1`,
  ])('%j is refused with a message', (text) => {
    expect(parseCursor(text)).toMatchObject({ ok: false, fault: { kind: 'invalid', code: 'bad_cursor' } })
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseCursor(text)).toHaveProperty('ok')
      }),
    )
  })
})
