import { describe, expect, it } from 'vitest'
import { sizeText, typeOf } from './file-data.ts'

describe('files of prompts', () => {
  it('have the type that agents understand', () => {
    expect(typeOf({ name: 'a.ts', type: 'video/mp2t' })).toBe('text/plain')
    expect(typeOf({ name: 'a.png', type: 'image/png' })).toBe('image/png')
    expect(typeOf({ name: 'a', type: '' })).toBe('application/octet-stream')
    expect(typeOf({ name: 'a', type: 'nonsense' })).toBe('application/octet-stream')
  })

  it('have a size that people can read', () => {
    expect([12, 1499, 2_340_000].map(sizeText)).toEqual(['12 bytes', '1 kB', '2.3 MB'])
  })
})
