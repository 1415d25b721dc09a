import { describe, expect, it } from 'vitest'
import { createScreenModes } from './screen-modes.ts'

function undone(...shown: string[]): string {
  const modes = createScreenModes()
  for (const text of shown) modes.seen(Buffer.from(text, 'latin1'))
  return modes.undo()
}

describe('the modes of a terminal that is left', () => {
  it('are none where nothing was shown, and only colours where plain text was', () => {
    expect(undone()).toBe('')
    expect(undone('\x1b[31mred')).toBe('\x1b[0m')
  })

  it('are undone where the program had set them, the other screen last', () => {
    expect(undone('\x1b[?1049h\x1b[?1000;1006h\x1b[?25l\x1b[?2004h')).toBe(
      '\x1b[?1000l\x1b[?1006l\x1b[?25h\x1b[?2004l\x1b[?1049l\x1b[0m',
    )
  })

  it('are left alone where the program put them back itself', () => {
    expect(undone('\x1b[?1049h\x1b[?25l\x1b=\x1b[>1u', '\x1b[<u\x1b>\x1b[?25h\x1b[?1049l')).toBe('\x1b[0m')
    expect(undone('\x1b[?1049h\x1b[>1u\x1bc')).toBe('\x1b[0m')
    expect(undone('\x1b[>4;2m\x1b[>4;m')).toBe('\x1b[0m')
  })

  it('are seen wherever the pieces are cut', () => {
    const whole = '\x1b[?1049h\x1b[>5u\x1b[4 q\x1b[>4;2m\x1b(0'
    for (let at = 1; at < whole.length; at += 1) {
      expect(undone(whole.slice(0, at), whole.slice(at))).toBe('\x1b[<1u\x1b[>4m\x1b(B\x1b[0 q\x1b[?1049l\x1b[0m')
    }
  })
})
