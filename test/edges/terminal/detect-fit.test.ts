import { describe, expect, it } from 'vitest'
import { scoreOf } from '../../../src/domain/terminal/detect/understand/danger/likely.ts'
import { fitWeights, partOf } from '../../../scripts/lib/fit-weights.ts'

const examples = ['a', 'b', 'c', 'd'].flatMap((family) => [
  { family, features: new Set(['drop', 'table', `only ${family}`]), counts: true },
  { family, features: new Set(['show', 'table', `only ${family}`]), counts: false },
])

describe('fitted weights', () => {
  const weights = fitWeights(examples)

  it('tell what counts from what does not', () => {
    expect(scoreOf(weights, new Set(['drop', 'table']))).toBeGreaterThan(1)
    expect(scoreOf(weights, new Set(['show', 'table']))).toBeLessThan(-1)
    expect(scoreOf(weights, new Set(['unknown']))).toBe(0)
  })

  it('leave out what fewer than three families show', () => {
    expect([...weights.keys()]).toEqual(['drop', 'show', 'table'])
  })

  it('are the same for the same examples', () => {
    expect(fitWeights(examples)).toEqual(weights)
  })
})

it('a family is always in the same part', () => {
  const parts = Array.from({ length: 200 }, (_, at) => partOf(`family ${at}`, 5))
  expect([0, 1, 2, 3, 4].map((part) => parts.filter((each) => each === part).length > 20)).not.toContain(false)
  expect(parts).toEqual(Array.from({ length: 200 }, (_, at) => partOf(`family ${at}`, 5)))
})
