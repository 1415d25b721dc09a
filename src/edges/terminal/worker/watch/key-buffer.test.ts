import { describe, expect, it } from 'vitest'
import { createKeyBuffer } from './key-buffer.ts'

const hold = (text: string) => {
  const keys = createKeyBuffer()
  for (const character of text) keys.add(character.codePointAt(0) ?? 0)
  return keys
}

describe('held keys', () => {
  it('are overwritten when they turn out to be secret, and only counted from then on', () => {
    const keys = hold('hunt')
    const memory = keys.view()
    keys.drop()
    expect(Array.from(memory)).toEqual([0, 0, 0, 0])
    keys.add(0x65)
    expect(keys.view()).toHaveLength(0)
    expect(keys).toMatchObject({ count: 5, dropped: true, characters: true })
  })

  it('are overwritten after use, and when they had to move', () => {
    const keys = hold('x'.repeat(64))
    const small = keys.view()
    keys.add(0x79)
    const large = keys.view()
    expect(Array.from(small).every((code) => code === 0)).toBe(true)
    keys.clear()
    expect(Array.from(large).every((code) => code === 0)).toBe(true)
    expect(keys.count).toBe(0)
  })

  it('are not held beyond what a person types in a line', () => {
    const keys = hold('x'.repeat(16_385))
    expect(keys.dropped).toBe(true)
    expect(keys.view()).toHaveLength(0)
  })
})
