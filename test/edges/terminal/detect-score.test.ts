import { describe, expect, it } from 'vitest'
import {
  below,
  defaultCorpus,
  floors,
  otherCorpus,
  predictAll,
  reached,
  scoreOf,
  share,
  type Measure,
} from '../../../scripts/detect-score.ts'

describe('detection on the recorded terminals', () => {
  it.each([
    ['the programs it was tuned on', defaultCorpus, floors],
    ['other programs', otherCorpus, reached],
  ])('keeps every floor on %s', { timeout: 300_000 }, async (_, corpus, least) => {
    const score = scoreOf(await predictAll(corpus))
    const shares = Object.fromEntries(Object.entries(score).map(([measure, value]) => [measure, share(value)]))
    expect(below(score, least), JSON.stringify(shares)).toEqual([])
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

  it('is 1 where all is right', () => {
    expect(shares([row])).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('counts a missed prompt as wrong in type, text and danger too', () => {
    const missed = { ...row, said: { ...said, waiting: false, type: 'none', dangerous: false } }
    expect(shares([row, missed])).toEqual([1, 0.5, 0.5, 0.5, 0.5, 1])
  })

  it('counts what was said of a program that works against precision, unless nobody could tell', () => {
    const works = { ...row, label: { ...label, waiting: false, type: 'none', dangerous: false } }
    expect(shares([row, works])).toEqual([0.5, 1, 1, 1, 1, 0.5])
    const unclear = { ...works, said: { ...said, dangerous: false }, label: { ...works.label, indistinct: true } }
    expect(shares([row, unclear])).toEqual([1, 1, 1, 1, 1, 1])
  })

  it('takes other types and texts that the label allows, whatever is drawn around them', () => {
    const other = { ...label, type: 'choice', type_alt: ['yes_no'], prompt_text: '◆  Sure?', prompt_alt: [] }
    expect(shares([{ ...row, label: other }])).toEqual([1, 1, 1, 1, 1, 1])
    expect(shares([{ ...row, label: { ...other, prompt_text: 'Really?' } }])[3]).toBe(0)
  })
})
