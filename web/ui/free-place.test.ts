import { describe, expect, it } from 'vitest'
import { freeBottom } from './free-place.ts'

const window = { height: 800, rest: 16 }
const own = { top: 700, bottom: 784, left: 900, right: 1260 }
const bar = (top: number, bottom: number, left = 600, right = 1280) => ({ top, bottom, left, right })

describe('the place of a toast', () => {
  it('is at the bottom if nothing is there, or only beside it', () => {
    expect(freeBottom(window, own, [])).toBe(16)
    expect(freeBottom(window, own, [bar(700, 800, 0, 800)])).toBe(16)
  })

  it('is above the bars that it would cover, one after the other', () => {
    expect(freeBottom(window, own, [bar(740, 800)])).toBe(68)
    expect(freeBottom(window, own, [bar(740, 800), bar(600, 700)])).toBe(208)
  })

  it('is at the bottom if there is no room above', () => {
    expect(freeBottom(window, own, [bar(40, 800)])).toBe(16)
  })

  it('ignores what takes no room', () => {
    expect(freeBottom(window, own, [bar(740, 740)])).toBe(16)
  })
})
