import { describe, expect, it } from 'vitest'
import { safeText } from './safe-text.ts'

describe('text of strangers', () => {
  it.each([
    ['colours go', '\u001b[31mred\u001b[0m', 'red'],
    ['titles and clipboards go', 'a\u001b]0;title\u0007b\u001b]52;c;aGk=\u001b\\c', 'abc'],
    ['control characters go, tabs and line ends stay', 'a\u0000\u0008b\tc\nd', 'ab\tc\nd'],
    ['what turns text around is shown', 'safe\u202egpj.exe', 'safe⟨U+202E⟩gpj.exe'],
    ['what can not be seen is shown', 'pay\u200bpal', 'pay⟨U+200B⟩pal'],
    ['other scripts stay', 'שלום 你好 👋🏽 👩\u200d💻', 'שלום 你好 👋🏽 👩\u200d💻'],
  ])('%s', (_what, given, shown) => expect(safeText(given)).toBe(shown))

  it('is made safe in linear time', () => {
    const hostile = '\u001b]'.repeat(200_000)
    expect(safeText(hostile).length).toBeLessThan(hostile.length)
  })
})
