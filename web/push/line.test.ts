import { describe, expect, it } from 'vitest'
import { createLine } from './line.ts'

describe('a line', () => {
  it('begins each when the one before is over, also where that failed', async () => {
    const inTurn = createLine()
    const first = Promise.withResolvers<string>()
    const begun: string[] = []
    const one = inTurn(() => {
      begun.push('one')
      return first.promise
    })
    const two = inTurn(async () => {
      begun.push('two')
      return 2
    })
    await Promise.resolve()
    expect(begun).toEqual(['one'])
    first.reject(new Error('no'))
    await expect(one).rejects.toThrow('no')
    expect(await two).toBe(2)
    expect(begun).toEqual(['one', 'two'])
  })
})
