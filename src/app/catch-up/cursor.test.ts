import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formatLook, parseLook } from './cursor.ts'

const digits = (n: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: n, maxLength: n })
const mark = fc.record({
  cursor: fc.option(fc.tuple(fc.nat(), fc.nat()).map(([epoch, offset]) => `${epoch}:${offset}`)),
  prompt: fc.option(digits(12)),
})

it('a cursor survives a round trip', () => {
  const look = fc.record({
    place: fc.record({ tx: fc.maxSafeNat(), seq: fc.maxSafeNat() }),
    terminals: fc.array(fc.tuple(digits(12), mark)).map((entries) => new Map(entries)),
  })
  fc.assert(
    fc.property(look, (at) => {
      expect(parseLook(formatLook(at))).toEqual({ ok: true, value: at })
    }),
  )
})

it.each(['', 'x', '1.2;', '1.2;abc=1', '1.2;0123456789ab', '1.2;0123456789ab=1:2;'])('%j is refused', (text) => {
  expect(parseLook(text)).toMatchObject({ ok: false, fault: { code: 'bad_cursor' } })
})

it('never throws, whatever it is given', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(parseLook(text)).toHaveProperty('ok')
    }),
  )
})
