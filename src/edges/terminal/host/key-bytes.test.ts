import { expect, it } from 'vitest'
import { bytesOf } from './key-bytes.ts'

it.each([
  ['enter', '\r'],
  ['PageUp', '\x1b[5~'],
  ['up', '\x1b[A'],
  ['ctrl-c', '\x03'],
  ['Ctrl_C', '\x03'],
  ['ctrl-_', '\x1f'],
  ['alt-x', '\x1bx'],
  ['Alt-X', '\x1bX'],
  ['M-x', '\x1bx'],
  ['alt-_', '\x1b_'],
  ['_', '_'],
  ['é', 'é'],
])('the key %s sends its bytes', (key, bytes) => {
  expect(bytesOf([key], false)).toEqual({ ok: true, value: bytes })
})

it('cursor keys differ in application mode', () => {
  expect(bytesOf(['up'], true)).toEqual({ ok: true, value: '\x1bOA' })
})

it('an unknown key is refused, with the known ones', () => {
  expect(bytesOf(['hyper-x'], false)).toMatchObject({ ok: false, fault: { code: 'unknown_key' } })
})
