import { describe, expect, it } from 'vitest'
import { createFrames } from './sse.ts'

describe('frames of an event stream', () => {
  it('come whole, however the text is cut', () => {
    const text =
      'retry: 1000\n\nid: c1\nevent: ask.opened\ndata: {"a":1}\n\n: still here\n\nid: c2\n\nevent: x\ndata: y\n\n'
    for (let size = 1; size <= text.length; size += 1) {
      const take = createFrames()
      const frames = []
      for (let at = 0; at < text.length; at += size) frames.push(...take(text.slice(at, at + size)))
      expect(frames).toEqual([
        { id: 'c1', event: 'ask.opened', data: '{"a":1}' },
        { id: 'c2', event: 'message', data: '' },
        { id: null, event: 'x', data: 'y' },
      ])
    }
  })
})
