import { describe, expect, it } from 'vitest'
import { createScreenModes } from './screen-modes.ts'

function undone(...shown: string[]): string {
  const modes = createScreenModes()
  for (const text of shown) modes.seen(Buffer.from(text, 'latin1'))
  return modes.undo()
}

describe('modes of a terminal after detaching', () => {
  it('are none if nothing was shown, and only colours if it was plain text', () => {
    expect(undone()).toBe('')
    expect(undone('\x1b[31mred')).toBe('\x1b[0m')
  })

  it('are undone if the program had set them, the alternate screen last', () => {
    expect(undone('\x1b[?1049h\x1b[?1000;1006h\x1b[?25l\x1b[?2004h')).toBe(
      '\x1b[?1000l\x1b[?1006l\x1b[?25h\x1b[?2004l\x1b[?1049l\x1b[0m',
    )
  })

  it('are left alone if the program reset them itself', () => {
    expect(undone('\x1b[?1049h\x1b[?25l\x1b=\x1b[>1u', '\x1b[<u\x1b>\x1b[?25h\x1b[?1049l')).toBe('\x1b[0m')
    expect(undone('\x1b[?1049h\x1b[>1u\x1bc')).toBe('\x1b[0m')
    expect(undone('\x1b[>4;2m\x1b[>4;m')).toBe('\x1b[0m')
  })

  it('are recognised wherever the pieces are cut', () => {
    const whole = '\x1b[?1049h\x1b[>5u\x1b[4 q\x1b[>4;2m\x1b(0'
    for (let at = 1; at < whole.length; at += 1) {
      expect(undone(whole.slice(0, at), whole.slice(at))).toBe('\x1b[<1u\x1b[>4m\x1b(B\x1b[0 q\x1b[?1049l\x1b[0m')
    }
  })
})
