import { expect, it } from 'vitest'
import { jsonLength, writeJson } from './json-bytes.ts'

const all = Array.from({ length: 0x300 }, (_, code) => String.fromCodePoint(code)).join('')

it.each([
  ['every control character and letter', all],
  ['nothing', ''],
  ['other planes', '密码 🚀 é'],
  ['what a terminal prints', '\u001b[1;31m"quoted" \\ back\u001b[0m\r\n\tnext\u0007\u007f'],
])('is what JSON.stringify makes of %s', (_what, text) => {
  const bytes = Buffer.from(text)
  const into = Buffer.alloc(jsonLength(bytes) + 2)
  const end = writeJson(bytes, into, 1)
  expect(end).toBe(into.length - 1)
  expect(`"${into.toString('utf8', 1, end)}"`).toBe(JSON.stringify(text))
})
