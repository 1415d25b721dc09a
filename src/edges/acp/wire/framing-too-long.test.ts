import { describe, expect, it } from 'vitest'
import { createFraming } from './framing.ts'

const bytes = (text: string) => Buffer.from(text)

describe('a line that is too long', () => {
  it('is skipped once, and its bytes count as read before it ends', () => {
    const left: [number, number][] = []
    const framing = createFraming({ start: 100, longest: 10, tooLong: (...line) => left.push(line) })
    expect(framing.push(bytes('one\nfour'))).toMatchObject([{ offset: 100, text: 'one' }])
    expect(framing.lineStart()).toBe(104)
    framing.push(bytes('x'.repeat(50)))
    expect(framing.lineStart()).toBe(158)
    framing.push(bytes('x'.repeat(50)))
    expect(framing.lineStart()).toBe(208)
    expect(framing.push(bytes('x\nlast\n'))).toMatchObject([{ offset: 210, end: 215, text: 'last' }])
    expect(framing.lineStart()).toBe(215)
    expect(left).toEqual([[104, 105]])
  })
})
