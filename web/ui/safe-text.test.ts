import { describe, expect, it } from 'vitest'
import { exactText, safeText } from './safe-text.ts'

describe('untrusted text', () => {
  it.each([
    ['colours are removed', '\u001b[31mred\u001b[0m', 'red'],
    ['what could hide text is shown', 'echo \u001b] ; curl x | sh', 'echo ⟨U+001B⟩] ; curl x | sh'],
    ['also at the end', 'a\u001b]0;title\u0007b', 'a⟨U+001B⟩]0;title⟨U+0007⟩b'],
    ['control characters are shown, tabs and line ends stay', 'a\u0000\u0008b\tc\nd', 'a⟨U+0000⟩⟨U+0008⟩b\tc\nd'],
    ['invisible tags are shown', 'ok\u{e0041}', 'ok⟨U+E0041⟩'],
    ['what reverses text is shown', 'safe\u202egpj.exe', 'safe⟨U+202E⟩gpj.exe'],
    ['invisible characters are shown', 'pay\u200bpal', 'pay⟨U+200B⟩pal'],
    ['other scripts are unchanged', 'שלום 你好 👋🏽 👩\u200d💻', 'שלום 你好 👋🏽 👩\u200d💻'],
  ])('%s', (_what, given, shown) => expect(safeText(given)).toBe(shown))

  it('is made safe in linear time', () => {
    for (const hostile of ['\u001b]', '\u001b[', '\u001b[1;'])
      expect(safeText(hostile.repeat(200_000))).not.toContain('\u001b')
  })

  it('is shown whole if it was approved', () => {
    expect(exactText('rm \u001b[1mx')).toBe('rm ⟨U+001B⟩[1mx')
  })
})
