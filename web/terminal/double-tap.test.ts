import { describe, expect, it } from 'vitest'
import { tapped } from './double-tap.ts'

describe('a dangerous answer', () => {
  it('acts on the second tap, not on the first', () => {
    const first = tapped(null, 'y', 1000)
    expect(first.acts).toBe(false)
    expect(tapped(first.armed, 'y', 1600)).toEqual({ armed: null, acts: true })
  })

  it('takes two taps in quick succession for one', () => {
    const first = tapped(null, 'y', 1000)
    expect(tapped(first.armed, 'y', 1200)).toEqual({ armed: first.armed, acts: false })
  })

  it('starts again with another button', () => {
    const first = tapped(null, 'y', 1000)
    expect(tapped(first.armed, 'n', 2000)).toEqual({ armed: { key: 'n', at: 2000 }, acts: false })
  })
})
