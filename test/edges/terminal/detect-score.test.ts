import { describe, expect, it } from 'vitest'
import {
  below,
  floors,
  otherSets,
  predictAll,
  reached,
  scoreOf,
  share,
  unseenFloors,
  unseenScore,
  type Measure,
  type Score,
} from '../../../scripts/detect-score.ts'
import { promptCases, promptSets } from '../../support/prompt-cases.ts'
import { unseenPrompts } from '../../support/unseen-prompts.ts'
import { figure, scale } from '../../support/scale.ts'

const shares = (score: Score): string =>
  Object.entries(score)
    .map(([measure, value]) => `${measure} ${share(value).toFixed(3)}`)
    .join(', ')

describe('detection on the recorded terminals', () => {
  it('stays above every minimum on the programs it was tuned on', { timeout: 60_000 }, async () => {
    const score = scoreOf(await predictAll(promptCases('tuned')))
    expect(below(score), shares(score)).toEqual([])
  })

  // Every sixteenth case varies between runs: it is held to slightly less.
  const { every, slack } = scale({ test: { every: 16, slack: 0.03 }, long: { every: 1, slack: 0 } })
  it('stays at the reached level on other programs', { timeout: 300_000 }, async () => {
    const cases = otherSets.flatMap(promptCases).filter((_, at) => at % every === 0)
    const score = scoreOf(await predictAll(cases))
    const least = Object.fromEntries(Object.entries(reached).map(([measure, value]) => [measure, value - slack]))
    figure('detection on other programs', `${cases.length} moments: ${shares(score)}`)
    expect(below(score, least as Record<Measure, number>), shares(score)).toEqual([])
  })
})

describe('detection on prompts that no recorded case covers', () => {
  it('stays at the reached level', () => {
    const prompts = unseenPrompts()
    const score = Object.entries(unseenScore(prompts)).map(([measure, value]) => [measure, share(value)] as const)
    figure('detection on unseen prompts', score.map(([measure, value]) => `${measure} ${value.toFixed(3)}`).join(', '))
    expect(prompts.length).toBeGreaterThan(200)
    const low = score.filter(([measure, value]) => value < unseenFloors[measure as keyof typeof unseenFloors])
    expect(low).toEqual([])
  })
})

describe('the packed cases', () => {
  it.each(promptSets)('of %s are sorted and unique', (set) => {
    const ids = promptCases(set).map(({ id }) => id)
    expect(ids.length).toBeGreaterThan(400)
    expect(ids).toEqual([...new Set(ids)].toSorted())
  })
})

describe('the score', () => {
  const label = { waiting: true, type: 'yes_no', prompt_text: '? Sure? (y/N)', prompt_alt: ['Sure?'], dangerous: true }
  const said = { id: 'a', waiting: true, type: 'yes_no', prompt_text: 'Sure?', dangerous: true, confidence: 1 }
  const row = { id: 'a', family: 'f', label, said, by: '', why: '' }
  const shares = (rows: Parameters<typeof scoreOf>[0]) => {
    const score = scoreOf(rows)
    return (Object.keys(floors) as Measure[]).map((measure) => share(score[measure]))
  }

  it('is 1 if everything is right', () => {
    expect(shares([row])).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('counts a missed prompt as wrong in type, text and danger too', () => {
    const missed = { ...row, said: { ...said, waiting: false, type: 'none', dangerous: false } }
    expect(shares([row, missed])).toEqual([1, 0.5, 0.5, 0.5, 0.5, 1])
  })

  it('counts a prompt reported for a working program against precision, unless nobody could tell', () => {
    const works = { ...row, label: { ...label, waiting: false, type: 'none', dangerous: false } }
    expect(shares([row, works])).toEqual([0.5, 1, 1, 1, 1, 0.5])
    const unclear = { ...works, said: { ...said, dangerous: false }, label: { ...works.label, indistinct: true } }
    expect(shares([row, unclear])).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('accepts other types and texts that the label allows, whatever is drawn around them', () => {
    const other = { ...label, type: 'choice', type_alt: ['yes_no'], prompt_text: '◆  Sure?', prompt_alt: [] }
    expect(shares([{ ...row, label: other }])).toEqual([1, 1, 1, 1, 1, 1])
    expect(shares([{ ...row, label: { ...other, prompt_text: 'Really?' } }])[3]).toBe(0)
  })
})
