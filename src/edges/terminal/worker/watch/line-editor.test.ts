import { describe, expect, it } from 'vitest'
import { createKeyScanner } from './key-scanner.ts'
import { key } from './key-codes.ts'
import { editLine } from './line-editor.ts'

const keysOf = (...pieces: (string | Uint8Array)[]): number[] => {
  const scanner = createKeyScanner()
  const keys: number[] = []
  for (const piece of pieces)
    scanner.scan(typeof piece === 'string' ? Buffer.from(piece) : piece, (code) => keys.push(code))
  return keys
}
const line = (text: string, canonical = false): string | null => {
  const edited = editLine(keysOf(text), canonical)
  return edited && String.fromCodePoint(...edited.codes)
}
const esc = '\u001B'

describe('the line finally entered', () => {
  it.each([
    ['plain', 'yes', 'yes'],
    ['backspace', 'yex\u007Fs', 'yes'],
    ['backspace on an empty line', '\u007F\u007Fy', 'y'],
    ['^H', 'ab\bc', 'ac'],
    ['^U', 'wrong\u0015right', 'right'],
    ['^W deletes a word', 'git reset --hard\u0017--soft', 'git reset --soft'],
    ['^A and ^E', 'b\u0001a\u0005c', 'abc'],
    ['^K', 'abcd\u0001\u0006\u000B', 'a'],
    ['left and right', `ac${esc}[Db${esc}[Cd`, 'abcd'],
    ['application-mode arrows', `ac${esc}ODb`, 'abc'],
    ['home and end', `b${esc}[Ha${esc}[Fc`, 'abc'],
    ['delete', `abc${esc}[D${esc}[3~d`, 'abd'],
    ['^D within a line', `abc${esc}[D\u0004`, 'ab'],
    ['words with Ctrl and arrows', `one two${esc}[1;5Dx `, 'one x two'],
    ['words with Alt', `one two${esc}b${esc}bzero `, 'zero one two'],
    ['^V: the next key literally', 'a\u0016b', 'ab'],
    ['UTF-8', 'grüße 你好 🚂', 'grüße 你好 🚂'],
    ['UTF-8 deleted by character', 'né\u007Fe', 'ne'],
    ['a bracketed paste', `${esc}[200~two\nlines${esc}[201~`, 'two\nlines'],
    ['a paste that holds control characters', `${esc}[200~a\u0015b${esc}[201~`, 'ab'],
    ['keys of the newer keyboard protocol', `${esc}[97u${esc}[98;2u${esc}[127u`, 'a'],
  ])('%s', (_, typed, expected) => {
    expect(line(typed)).toBe(expected)
  })

  it('is nothing after ^C', () => {
    expect(line('secret\u0003')).toBeNull()
    expect(line('secret\u0003', true)).toBeNull()
  })

  it('knows that the terminal driver has no cursor keys, and its own words', () => {
    expect(line(`ac${esc}[Db`, true)).toBe('acb')
    expect(line('/etc/passwd\u0017shadow', true)).toBe('/etc/shadow')
    expect(line('one\ttwo', true)).toBe('one\ttwo')
    expect(line('gone\u0015kept', true)).toBe('kept')
  })

  it('is uncertain about a line changed by history or completion', () => {
    expect(editLine(keysOf('gi\t'), false)?.sure).toBe(false)
    expect(editLine(keysOf(`${esc}[A`), false)?.sure).toBe(false)
    expect(editLine(keysOf('git'), false)?.sure).toBe(true)
  })
})

describe('keys', () => {
  it('are the same however the bytes are split', () => {
    const text = Buffer.from(`é${esc}[200~x\r${esc}[201~${esc}[1;5D🚂\r`)
    const whole = keysOf(text)
    for (let cut = 1; cut < text.length; cut += 1)
      expect(keysOf(text.subarray(0, cut), text.subarray(cut))).toEqual(whole)
  })

  it('are only what someone pressed: not replies of the terminal, focus or mouse', () => {
    const said = [`${esc}[24;80R`, `${esc}[?62;22c`, `${esc}[I`, `${esc}[O`, `${esc}[<0;10;5M`, `${esc}[M !!`]
    expect(keysOf(...said, `${esc}]11;rgb:0000/0000/0000${esc}\\`, `${esc}P1+r${esc}\\`, `${esc}[?1;2y`)).toEqual([])
  })

  it('have a line end only if it was pressed', () => {
    expect(keysOf('a\r')).toEqual([0x61, key.enter])
    expect(keysOf(`${esc}[200~a\rb${esc}[201~`)).not.toContain(key.enter)
    expect(keysOf(`${esc}]x\r`)).toContain(key.enter)
    expect(keysOf(esc, '\r')).toEqual([key.escape, key.enter])
  })

  it('survive invalid UTF-8', () => {
    expect(keysOf(new Uint8Array([0xc3, 0x28, 0xff, 0x80, 0x61]))).toEqual([0x28, 0x61])
  })
})
