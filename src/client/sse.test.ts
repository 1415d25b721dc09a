import { describe, expect, it } from 'vitest'
import { createSseReader } from './sse.ts'

const stream =
  '\ufeff: hello\r\nretry: 1000\r\n\r\nid: a.1\r\nevent: ask.opened\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: still here\n\ndata:x\n\n'
const expected = [
  { id: 'a.1', type: 'ask.opened', data: '{"a":\n1}' },
  { id: null, type: 'message', data: 'x' },
]

describe('the reader of server-sent events', () => {
  it('returns whole messages, however the text is cut', () => {
    for (let size = 1; size <= stream.length; size += 1) {
      const read = createSseReader()
      const events = []
      for (let at = 0; at < stream.length; at += size) events.push(...read(stream.slice(at, at + size)))
      expect(events).toEqual(expected)
    }
  })

  it('does not report an unfinished message, or one without data', () => {
    const read = createSseReader()
    expect([...read('data: half\n'), ...read('event: x')]).toEqual([])
    expect(createSseReader()('event: x\n\n')).toEqual([])
  })

  it('keeps a colon and all but one space of the value', () => {
    expect(createSseReader()('data:  a: b\n\n')).toEqual([{ id: null, type: 'message', data: ' a: b' }])
  })
})
