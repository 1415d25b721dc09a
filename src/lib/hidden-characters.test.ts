import { describe, expect, it } from 'vitest'
import { hiddenInCode, hiddenInText, named } from './hidden-characters.ts'

const found = (pattern: RegExp, text: string): string =>
  Array.from(text.matchAll(pattern), ([char]) => named(char)).join(' ')

describe('hidden characters', () => {
  it.each([
    ['controls', 'a\u0000\u001b\u0085', '⟨U+0000⟩ ⟨U+001B⟩ ⟨U+0085⟩'],
    ['what reverses text', 'a\u202e\u2066\u061c', '⟨U+202E⟩ ⟨U+2066⟩ ⟨U+061C⟩'],
    ['what has no width', 'a\u200b\u2060\ufeff\u00ad', '⟨U+200B⟩ ⟨U+2060⟩ ⟨U+FEFF⟩ ⟨U+00AD⟩'],
    ['what looks like a space', 'a\u3164\u2800\u115f', '⟨U+3164⟩ ⟨U+2800⟩ ⟨U+115F⟩'],
    ['tags, and selectors that select nothing', 'a\u{e0041}\ufe0f', '⟨U+E0041⟩ ⟨U+FE0F⟩'],
    ['half characters', 'a\ud83d', '⟨U+D83D⟩'],
    ['joiners next to plain letters, and a second one', 'a\u200db 👩\u200d\u200d💻', '⟨U+200D⟩ ⟨U+200D⟩'],
  ])('%s are found in text and in code', (_what, text, shown) => {
    expect(found(hiddenInText, text)).toBe(shown)
    expect(found(hiddenInCode, text)).toBe(shown)
  })

  it('do not include what text in any script and emoji consist of', () => {
    const words = 'tab\tline\r\n 1\u202f000\u00a0€ \u3000你好 می\u200cخواهم क्\u200dष 👩\u200d💻 ❤\ufe0f ☎\ufe0e'
    expect(found(hiddenInText, words)).toBe('')
  })

  it('include more in code, where a space must be a space', () => {
    expect(found(hiddenInCode, 'a\u00a0b\u2003\u200c\r')).toBe('⟨U+00A0⟩ ⟨U+2003⟩ ⟨U+200C⟩ ⟨U+000D⟩')
    expect(found(hiddenInCode, '\tplain 👩\u200d💻 ❤\ufe0f')).toBe('')
  })
})
