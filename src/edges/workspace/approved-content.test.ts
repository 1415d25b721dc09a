import { expect, it } from 'vitest'
import { contentAfter, plainHash } from './approved-content.ts'

const edit = (oldText: string | null, newText: string) => ({ path: 'f', oldText, newText })

it('a part that occurs once is replaced, even with other line ends', () => {
  expect(contentAfter('a\nb\nc\n', [edit('b', 'B')])).toBe('a\nB\nc\n')
  expect(contentAfter('a\r\nb\r\nc\r\n', [edit('a\nb', 'x\ny')])).toBe('x\ny\nc\n')
  expect(contentAfter('$1 b', [edit('b', '$& $1')])).toBe('$1 $& $1')
})

it('a part that occurs twice, overlapping, or not at all gives no result', () => {
  expect(contentAfter('aba', [edit('a', 'x')])).toBeNull()
  expect(contentAfter('aaa', [edit('aa', 'x')])).toBeNull()
  expect(contentAfter('abc', [edit('x', 'y')])).toBeNull()
  expect(contentAfter('abc', [edit('', 'y')])).toBeNull()
  expect(contentAfter('abc', [])).toBeNull()
})

it('the whole file is replaced if the old text is missing, or is all of it', () => {
  expect(contentAfter('aba', [edit(null, 'x')])).toBe('x')
  expect(contentAfter('a\r\nb', [edit('a\nb\n', 'x')])).toBe('x')
  expect(contentAfter(null, [edit('', 'x'), edit('x', 'y')])).toBe('y')
})

it('only line ends and one final newline are ignored', () => {
  expect(plainHash('a\r\nb\r\n')).toBe(plainHash('a\nb'))
  expect(plainHash('a\n\n')).not.toBe(plainHash('a'))
  expect(plainHash('a\rb')).not.toBe(plainHash('a\nb'))
})
