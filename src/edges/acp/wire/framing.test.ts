import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFraming, type AgentLine } from './framing.ts'

type Read = { lines: AgentLine[]; tooLong: [offset: number, bytes: number][]; lineStart: number }

function read(bytes: Uint8Array, cuts: readonly number[], { start = 0, longest = 1_000_000 } = {}): Read {
  const tooLong: Read['tooLong'] = []
  const framing = createFraming({ start, longest, tooLong: (offset, size) => void tooLong.push([offset, size]) })
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b)
  const lines = [...places, bytes.length].flatMap((place, index) =>
    framing.push(bytes.subarray(index === 0 ? 0 : places[index - 1], place)),
  )
  return { lines, tooLong, lineStart: framing.lineStart() }
}

const of = (text: string) => new TextEncoder().encode(text)
const cuts = fc.array(fc.nat(), { maxLength: 20 })
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\r\n', '\n\n', '🚂')), { maxLength: 30 })
    .map((parts) => of(parts.join(''))),
)

describe('framing', () => {
  it('gives the same lines and offsets however the bytes are cut', () => {
    fc.assert(
      fc.property(anyBytes, cuts, fc.nat({ max: 40 }), fc.nat(), (bytes, where, longest, start) => {
        expect(read(bytes, where, { longest, start })).toEqual(read(bytes, [], { longest, start }))
      }),
    )
  })

  it('identifies a line by its first byte, and reads the same from there', () => {
    fc.assert(
      fc.property(anyBytes, cuts, (bytes, where) => {
        const { lines } = read(bytes, where)
        for (const [index, line] of lines.entries()) {
          expect(bytes[line.end - 1]).toBe(10)
          expect(line.text).toBe(new TextDecoder().decode(bytes.subarray(line.offset, line.end)).trim())
          const again = read(bytes.subarray(line.offset), where, { start: line.offset })
          expect(again.lines).toEqual(lines.slice(index))
        }
      }),
    )
  })

  it('skips lines that are too long, and reads on after them', () => {
    const lines = fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(lines, cuts, (lengths, where) => {
        const longest = 15
        const bytes = of(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''))
        const result = read(bytes, where, { longest })
        expect(result.lines.map(({ text }) => text.length)).toEqual(lengths.filter((n) => n > 0 && n <= longest))
        expect(result.tooLong.map(([, size]) => size)).toEqual(lengths.filter((n) => n > longest))
        expect(result.lineStart).toBe(bytes.length)
      }),
    )
  })

  it('loses no line when reading resumes at its offset', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (first, second) => {
        const framing = createFraming({ start: 0, longest: 1_000_000, tooLong() {} })
        const before = framing.push(first)
        const all = Uint8Array.of(...first, ...second)
        const place = framing.lineStart()
        const after = read(all.subarray(place), [], { start: place }).lines
        expect([...before, ...after]).toEqual(read(all, []).lines)
      }),
    )
  })

  it('keeps a character whole that comes in two pieces', () => {
    const bytes = of('{"a":"ü🚂"}\n')
    for (let cut = 0; cut <= bytes.length; cut += 1)
      expect(read(bytes, [cut]).lines).toEqual([{ offset: 0, end: bytes.length, text: '{"a":"ü🚂"}' }])
  })

  it('accepts CRLF as the end of a line, and skips empty ones', () => {
    expect(read(of('a\r\n\r\n  \nb\n'), []).lines).toEqual([
      { offset: 0, end: 3, text: 'a' },
      { offset: 8, end: 10, text: 'b' },
    ])
  })

  it('keeps no reference to the bytes it was given', () => {
    const framing = createFraming({ start: 0, longest: 100, tooLong() {} })
    const buffer = of('half')
    framing.push(buffer)
    buffer.fill(0)
    expect(framing.push(of(' a line\n'))).toEqual([{ offset: 0, end: 12, text: 'half a line' }])
  })

  it('releases what it has read of a line it skips', () => {
    const framing = createFraming({ start: 5, longest: 3, tooLong() {} })
    framing.push(of('xxxxxxxx'))
    expect(framing.lineStart()).toBe(13)
  })
})
