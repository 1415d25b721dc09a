import { expect, it } from 'vitest'
import { createRawInput } from './raw-input.ts'

function typing(typed = '') {
  const heard: string[] = []
  const listener = {
    line: (text: string) => void heard.push(text),
    leave: () => void heard.push('(leave)'),
    press: () => void heard.push('(press)'),
    suspend: () => void heard.push('(suspend)'),
  }
  return { heard, typing: createRawInput(listener, typed) }
}

it('hears whole lines, and keeps what is not whole yet', () => {
  const { heard, typing: keys } = typing('al')
  keys.push(Buffer.from('so the teste\u007fs\u0017docs\r\r\nand'))
  expect([heard, keys.typed]).toEqual([['also the docs'], 'and'])
})

it('hears Ctrl-C and Ctrl-D, and no arrow keys', () => {
  const { heard, typing: keys } = typing()
  keys.push(Buffer.from('a\u001b[Ab\u001bOPc\u0003\u0015x\u0004\u001a'))
  expect([heard, keys.typed]).toEqual([['(press)', '(leave)', '(suspend)'], 'x'])
})

it('puts letters together that come in two halves', () => {
  const { heard, typing: keys } = typing()
  const bytes = Buffer.from('ä\r')
  keys.push(bytes.subarray(0, 1))
  keys.push(bytes.subarray(1))
  expect(heard).toEqual(['ä'])
})
