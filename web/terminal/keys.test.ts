import { describe, expect, it } from 'vitest'
import { keyOf, keysOf } from './keys.ts'

const plain = { ctrlKey: false, altKey: false, metaKey: false, shiftKey: false, isComposing: false }

describe('keys while the keyboard is taken', () => {
  it.each([
    ['Enter', {}, 'enter'],
    ['ArrowUp', {}, 'up'],
    ['F12', {}, 'f12'],
    ['Tab', {}, 'tab'],
    ['Tab', { shiftKey: true }, 'shift-tab'],
    ['c', { ctrlKey: true }, 'ctrl-c'],
    [' ', { ctrlKey: true }, 'ctrl-@'],
    ['b', { altKey: true }, 'alt-b'],
  ])('%s %o is %s', (key, held, name) => expect(keyOf({ ...plain, key, ...held })).toBe(name))

  it.each([
    ['a', {}],
    ['v', { ctrlKey: true }],
    ['C', { ctrlKey: true, shiftKey: true }],
    ['c', { metaKey: true }],
    ['@', { ctrlKey: true, altKey: true }],
    ['Enter', { isComposing: true }],
    ['å', { altKey: true }],
    ['Unidentified', {}],
  ])('%s %o is text, or the browser’s', (key, held) => expect(keyOf({ ...plain, key, ...held })).toBeNull())

  it('are made from text, letter by letter, with one Enter per line', () => {
    expect(keysOf('é👍\r\nx\t')).toEqual(['é', '👍', 'enter', 'x', 'tab'])
    expect(keysOf('a\u001b[201~\u0003b')).toEqual(['a', '[', '2', '0', '1', '~', 'b'])
  })
})
