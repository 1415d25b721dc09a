import { expect, it } from 'vitest'
import { hasLongList, jsonChunks } from './chunked-json.ts'

const list = Array.from({ length: 1201 }, (_, n) => ({ n, text: 'a\nb', none: undefined, deep: { list: [n, [], {}] } }))

it.each([
  ['a list', list],
  ['a list in an object', { id: 'x', gone: undefined, null: null, messages: list, empty: [], asks: list, last: 1 }],
])('S8 %s written in chunks is the same text', async (_name, value) => {
  expect(hasLongList(value)).toBe(true)
  for (const indent of [0, 2]) {
    let written = ''
    for await (const piece of jsonChunks(value, indent)) written += piece
    expect(written).toBe(JSON.stringify(value, null, indent))
  }
})
