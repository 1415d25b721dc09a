import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDecoder, encodeFrame } from './frames.ts'

const frames = fc.array(
  fc.record({
    header: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer()), { noNullPrototype: true }),
    payload: fc.uint8Array({ maxLength: 300 }),
  }),
)

describe('frames', () => {
  it('survive a round trip, however the bytes are split', () => {
    fc.assert(
      fc.property(frames, fc.integer({ min: 1, max: 40 }), (sent, size) => {
        const bytes = Buffer.concat(sent.flatMap(({ header, payload }) => encodeFrame(header, payload)))
        const decode = createDecoder()
        const seen = []
        for (let at = 0; at < bytes.length; at += size) seen.push(...decode(bytes.subarray(at, at + size)))
        expect(seen.map(({ header, payload }) => ({ header, payload: new Uint8Array(payload) }))).toEqual(sent)
      }),
    )
  })

  it('of impossible length, without a header or without JSON are refused', () => {
    expect(() => createDecoder()(Buffer.alloc(8, 0xff))).toThrow(/impossible length/)
    expect(() => createDecoder()(Buffer.from([0, 0, 0, 2, 0, 0, 0, 0, 0x5b, 0x5d]))).toThrow(/without a header/)
    expect(() => createDecoder()(Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0x78]))).toThrow()
  })
})
