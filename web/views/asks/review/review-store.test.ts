import { describe, expect, it } from 'vitest'
import { createReviewStore } from './review-store.ts'

const memory = (start: Record<string, string> = {}) => {
  const kept = new Map(Object.entries(start))
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  }
}
const said = (text: string, line = 1) => ({ file: 'a.ts', side: 'new' as const, line, quoted: 'x', text })

describe('reviews in progress', () => {
  it('survive a reload', () => {
    const storage = memory()
    const store = createReviewStore(storage)
    store.comment('ask', said('One'))
    store.setViewed('ask', 'a.ts', true)
    expect(createReviewStore(storage).of('ask')).toEqual({ comments: [said('One')], viewed: ['a.ts'] })
  })
  it('have one comment for a line; an empty one removes it', () => {
    const store = createReviewStore(memory())
    store.comment('ask', said('One'))
    store.comment('ask', said('Two'))
    store.comment('ask', said('Other', 2))
    expect(store.of('ask').comments).toEqual([said('Two'), said('Other', 2)])
    store.comment('ask', said('', 2))
    expect(store.of('ask').comments).toEqual([said('Two')])
    store.sent('ask')
    expect(store.of('ask').comments).toEqual([])
  })
  it('are empty if the storage holds something else', () => {
    const store = createReviewStore(memory({ 'signalbox.reviews': '[["ask",{"comments":[1],"viewed":"x"}],7]' }))
    expect(store.of('ask')).toEqual({ comments: [], viewed: [] })
  })
  it('of the newest hundred asks are kept', () => {
    const store = createReviewStore(memory())
    for (let n = 0; n < 120; n += 1) store.setViewed(`ask ${n}`, 'a.ts', true)
    expect([store.of('ask 0').viewed, store.of('ask 119').viewed]).toEqual([[], ['a.ts']])
  })
})
