import { describe, expect, it } from 'vitest'
import { storable } from '../transcript/storable-text.ts'
import { exitText, stderrTail, stopText } from './end-text.ts'

describe('the note at the end of a turn', () => {
  it('is shown if the turn ended abnormally', () => {
    for (const reason of ['max_tokens', 'max_turn_requests', 'refusal']) expect(stopText(reason)).toMatch(/^The agent/)
  })

  it.each(['end_turn', 'cancelled', 'something_new', undefined])('is not shown at %s', (reason) => {
    expect(stopText(reason)).toBeNull()
  })
})

describe('the text for the exit of an agent', () => {
  it('names the code or the signal, and shows the end of stderr', () => {
    expect(exitText({ code: 3, signal: null }, 'oh no\n')).toBe(
      'the agent exited with code 3.\nLast lines of its stderr:\noh no',
    )
    expect(exitText({ code: null, signal: 'SIGKILL' }, ' \n')).toBe('the agent exited on SIGKILL.')
    expect(exitText({ code: null, signal: null }, '')).toBe('the agent exited with code unknown.')
  })

  it('is short, however much the agent printed', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`)
    expect(stderrTail(lines.join('\n'))).toBe(`\nLast lines of its stderr:\n${lines.slice(-10).join('\n')}`)
    expect(stderrTail('x'.repeat(100_000)).length).toBeLessThan(1600)
  })
})

it('a storable text has no NUL', () => {
  expect(storable('a\0b')).toBe('a\uFFFDb')
})
