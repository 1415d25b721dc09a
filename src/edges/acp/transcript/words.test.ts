import { describe, expect, it } from 'vitest'
import { exitText, storable, stderrTail, stopText } from './words.ts'

describe('words for the end of a turn', () => {
  it('are said where a person should hear of it', () => {
    for (const reason of ['max_tokens', 'max_turn_requests', 'refusal']) expect(stopText(reason)).toMatch(/^The agent/)
  })

  it.each(['end_turn', 'cancelled', 'something_new', undefined])('are not said at %s', (reason) => {
    expect(stopText(reason)).toBeNull()
  })
})

describe('words for the end of an agent', () => {
  it('name the code or the signal, and its last words', () => {
    expect(exitText({ code: 3, signal: null }, 'oh no\n')).toBe('the agent ended with code 3.\nIts last words:\noh no')
    expect(exitText({ code: null, signal: 'SIGKILL' }, ' \n')).toBe('the agent ended by SIGKILL.')
    expect(exitText({ code: null, signal: null }, '')).toBe('the agent ended with code unknown.')
  })

  it('are few, however much it said', () => {
    const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`)
    expect(stderrTail(lines.join('\n'))).toBe(`\nIts last words:\n${lines.slice(-10).join('\n')}`)
    expect(stderrTail('x'.repeat(100_000)).length).toBeLessThan(1600)
  })
})

it('a text that can be kept holds no NUL', () => {
  expect(storable('a\0b')).toBe('a\uFFFDb')
})
