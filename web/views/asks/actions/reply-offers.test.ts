import { describe, expect, it } from 'vitest'
import { offersOf } from './reply-offers.ts'

const prompt = {
  kind: 'terminal_prompt' as const,
  promptText: 'Go on? [y/N]',
  promptType: 'yes_no' as const,
  dangerous: false,
  suggestedInputs: ['N', 'y', ''],
  promptId: null,
  secret: false,
  dangerReason: null,
}

describe('answers in words', () => {
  it('are what a terminal suggests, with keys for yes and no', () => {
    const { offers, yes, no, danger } = offersOf(prompt)
    expect(offers.map(({ words }) => words)).toEqual(['N', 'y', 'Enter'])
    expect([yes, no, danger]).toEqual(['y', 'N', null])
  })

  it('are never suggested for a secret', () => {
    expect(offersOf({ ...prompt, secret: true })).toMatchObject({ offers: [], secret: true, yes: null })
  })

  it('say why they are dangerous, even if no reason was given', () => {
    expect(offersOf({ ...prompt, dangerous: true }).danger).toMatch(/damage/)
    expect(offersOf({ ...prompt, dangerous: true, dangerReason: 'deletes all' }).danger).toBe('deletes all')
  })

  it('can be free text even if none is offered', () => {
    expect(offersOf({ kind: 'question', question: '?', options: [], freeText: false }).freeText).toBe(true)
  })
})
