import { describe, expect, it } from 'vitest'
import { budgetOf, keepChoices, keptChoices, noChoices, signInsOf } from './start-choices.ts'

const keeper = (text: string | null) => {
  let kept = text
  return { getItem: () => kept, setItem: (_name: string, value: string) => void (kept = value) }
}

describe('choices of the last start', () => {
  it('come back as they were stored', () => {
    const shelf = keeper(null)
    const choices = { ...noChoices, agent: 'practice', place: 'path', path: '/srv', worktree: true }
    keepChoices(shelf, choices)
    expect(keptChoices(shelf)).toEqual(choices)
  })

  it('are empty if the stored value is not ours', () => {
    for (const text of ['{', 'null', '[]', '{"agent":3,"isolation":"jail","worktree":"yes"}'])
      expect(keptChoices(keeper(text))).toEqual(noChoices)
  })
})

describe('a budget', () => {
  it('is read as people write it', () => {
    expect(budgetOf('', '')).toEqual({})
    expect(budgetOf('$2,50', '100 000')).toEqual({ costUsd: 2.5, tokens: 100_000 })
  })

  it('must be a number', () => {
    for (const [cost, tokens] of [
      ['much', ''],
      ['0', ''],
      ['-1', ''],
      ['', '0'],
      ['', 'x'],
    ])
      expect(budgetOf(cost ?? '', tokens ?? '')).toBeNull()
  })
})

describe('ways to sign in', () => {
  it('are those with an id', () => {
    expect(signInsOf([{ id: 'key', name: 'API key' }, { id: 'web' }, { name: 'none' }, null])).toEqual([
      { id: 'key', name: 'API key' },
      { id: 'web', name: 'web' },
    ])
    expect(signInsOf(null)).toEqual([])
  })
})
