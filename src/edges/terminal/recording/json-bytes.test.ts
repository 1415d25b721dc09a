import { expect, it } from 'vitest'
import { encodedJson } from './json-bytes.ts'

const all = Array.from({ length: 0x300 }, (_, code) => String.fromCodePoint(code)).join('')

it.each([
  ['every control character and letter', all],
  ['nothing', ''],
  ['other planes', '密码 🚀 é \u2028'],
  ['what a terminal prints', '\u001b[1;31m"quoted" \\ back\u001b[0m\r\n\tnext\u0007\u007f'],
])('writes what JSON.stringify makes of %s', (_what, text) => {
  expect(Buffer.from(encodedJson(Buffer.from(text)), 'latin1').toString()).toBe(JSON.stringify(text))
})
