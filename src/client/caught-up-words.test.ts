import { describe, expect, it } from 'vitest'
import { attentionWords, caughtUpText } from './caught-up-words.ts'

const who = (actor: string) => (actor === 'user:1' ? 'Ann' : actor)

describe('what catching up tells', () => {
  it('names who answered, and leaves all else as it was said', () => {
    expect(caughtUpText('approve by user:1, command: Run it', { who })).toBe('Approved by Ann, command: Run it')
    expect(caughtUpText('reject by policy:command:rm a, b, command: x', { who })).toMatch(/^Rejected by policy:/)
    expect(caughtUpText('agent: approve by user:1, command', { who })).toBe('agent: approve by user:1, command')
  })

  it('is a sentence where the server has a code, and words where it is a new one', () => {
    expect(attentionWords('write_differs')).toBe('the agent wrote something else than what was approved')
    expect(caughtUpText('Somebody should look: new_code', { who })).toBe('Somebody should look: new code')
  })
})
