import { describe, expect, it } from 'vitest'
import { promptLines } from './inbox.ts'

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join('\n')

describe('the screen around a prompt', () => {
  it('is its last twelve lines, without the empty ones at its end', () => {
    expect(promptLines(`${lines(1, 20)}\nGo on? [y/n] \n\n\n`, 'Go on? [y/n]')).toBe(`${lines(10, 20)}\nGo on? [y/n]`)
    expect(promptLines('short\nGo on?', 'Go on?')).toBe('short\nGo on?')
  })

  it('has a few lines below the prompt, for its choices', () => {
    const screen = `${lines(1, 20)}\nWhich one?\n> a\n  b\n  c\n${lines(21, 40)}`
    expect(promptLines(screen, 'Which one?')).toBe(`${lines(13, 20)}\nWhich one?\n> a\n  b\n  c`)
  })

  it('is the end of the screen if the prompt is not found', () => {
    expect(promptLines(lines(1, 20), 'elsewhere')).toBe(lines(9, 20))
    expect(promptLines(lines(1, 20), '')).toBe(lines(9, 20))
  })
})
