import { expect, it } from 'vitest'
import { createRawInput } from './keyboard.ts'

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

it('reports whole lines, and keeps an unfinished one', () => {
  const { heard, typing: keys } = typing('al')
  keys.push(Buffer.from('so the teste\u007fs\u0017docs\r\r\nand'))
  expect([heard, keys.typed]).toEqual([['also the docs'], 'and'])
})

it('reports Ctrl-C and Ctrl-D, and ignores arrow keys', () => {
  const { heard, typing: keys } = typing()
  keys.push(Buffer.from('a\u001b[Ab\u001bOPc\u0003\u0015x\u0004\u001a'))
  expect([heard, keys.typed]).toEqual([['(press)', '(leave)', '(suspend)'], 'x'])
})

it('joins characters that arrive in two parts', () => {
  const { heard, typing: keys } = typing()
  const bytes = Buffer.from('ä\r')
  keys.push(bytes.subarray(0, 1))
  keys.push(bytes.subarray(1))
  expect(heard).toEqual(['ä'])
})
