import { describe, expect, it } from 'vitest'
import { createSecretLine } from './ask-secretly.ts'

const typed = (...pieces: string[]) => {
  const line = createSecretLine()
  return pieces.map((piece) => line.push(Buffer.from(piece))).at(-1)
}

describe('a line typed without echo', () => {
  it('keeps the input, spaces included', () => {
    expect(typed(' pass', ' word \r')).toBe(' pass word ')
    expect(typed('\r')).toBe('')
  })
  it('can be corrected', () => {
    expect(typed('pasx\u007fs\n')).toBe('pass')
    expect(typed('wrong\u0015right\r')).toBe('right')
    expect(typed('😀\u007fx\r')).toBe('x')
  })
  it('can be abandoned, and continues until Enter', () => {
    expect(typed('half\u0003')).toBeNull()
    expect(typed('\u0004')).toBeNull()
    expect(typed('half')).toBeUndefined()
  })
})
