import { describe, expect, it } from 'vitest'
import { costText, titleOf, tokenText } from './session-labels.ts'

const session = { prompt: 'Mend the gate\nand paint it', workspaceRoot: '/srv/garden/' }

describe('the title of a session', () => {
  it("is the agent's own, else the first line of the prompt, else the folder", () => {
    expect(titleOf(session, 'Gate')).toBe('Gate')
    expect(titleOf(session, null)).toBe('Mend the gate')
    expect(titleOf({ ...session, prompt: null }, '  ')).toBe('garden')
  })

  it('is short, and its hidden characters are shown', () => {
    expect(titleOf(session, 'x'.repeat(500))).toHaveLength(122)
    expect(titleOf(session, 'a\u202eb')).toBe('a⟨U+202E⟩b')
  })
})

describe('figures', () => {
  it('are short', () => {
    expect(costText(null)).toBeNull()
    expect(costText(0)).toBe('$0.00')
    expect(costText(0.001)).toBe('< $0.01')
    expect(costText(12.345)).toBe('$12.35')
    expect([950, 1234, 99_960, 1_250_000].map(tokenText)).toEqual(['950', '1.2k', '100k', '1.3M'])
  })
})
