import { describe, expect, it } from 'vitest'
import { createDetacher, readDetachKeys, spelledKeys, usualDetachKeys } from './detach-keys.ts'

const usual = () => createDetacher(readDetachKeys(usualDetachKeys))
const typed = (detacher: ReturnType<typeof usual>, text: string) => {
  const { pass, detach } = detacher.feed(Buffer.from(text, 'latin1'))
  return [pass.toString('latin1'), detach]
}

describe('detach keys', () => {
  it('are read in docker’s notation, and printed readably', () => {
    expect(readDetachKeys('ctrl-p,ctrl-q').bytes).toEqual([0x10, 0x11])
    expect(readDetachKeys('CTRL-], x').bytes).toEqual([0x1d, 0x78])
    expect(readDetachKeys('none').bytes).toEqual([])
    expect(spelledKeys(readDetachKeys('ctrl-],d'))).toBe('Ctrl-] d')
  })

  it.each(['', 'ctrl-', 'ctrl-[', 'ctrl-ab', 'esc', 'd,,d', 'ä'])('refuse %o with a message', (text) => {
    expect(() => readDetachKeys(text)).toThrow(/Invalid --detach-keys/)
  })

  it('detach wherever the input is split, and swallow only themselves', () => {
    expect(typed(usual(), 'ls\x1dd')).toEqual(['ls', true])
    const apart = usual()
    expect(typed(apart, 'ls\x1d')).toEqual(['ls', false])
    expect(apart.holding).toBe(true)
    expect(typed(apart, 'd')).toEqual(['', true])
  })

  it('pass on everything that is not the complete sequence, in order', () => {
    expect(typed(usual(), '\x1dx')).toEqual(['\x1dx', false])
    const twice = usual()
    expect(typed(twice, '\x1d\x1d')).toEqual(['\x1d', false])
    expect(twice.release().toString('latin1')).toBe('\x1d')
    expect(typed(usual(), 'd\x1b[A\x80\xffd')).toEqual(['d\x1b[A\x80\xffd', false])
  })

  it('release what was held back when nothing follows', () => {
    const detacher = usual()
    typed(detacher, '\x1d')
    expect(detacher.release().toString('latin1')).toBe('\x1d')
    expect(detacher.holding).toBe(false)
    expect(typed(detacher, 'd')).toEqual(['d', false])
  })

  it('are recognised in the long forms that programs ask terminals for', () => {
    expect(typed(usual(), '\x1b[93;5u\x1b[93;5:3ud')).toEqual(['', true])
    expect(typed(usual(), '\x1b[93;133u\x1b[100;129u')).toEqual(['', true])
    expect(typed(usual(), '\x1b[27;5;93~d')).toEqual(['', true])
    expect(typed(usual(), '\x1b[93;5u\x1b[97u')).toEqual(['\x1b[93;5u\x1b[97u', false])
  })

  it('let everything through if none are set', () => {
    expect(typed(createDetacher(readDetachKeys('none')), '\x1dd')).toEqual(['\x1dd', false])
  })
})
