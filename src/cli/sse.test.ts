import { describe, expect, it } from 'vitest'
import { createSseParser, type ServerSentEvent } from './sse.ts'

function parse(...chunks: string[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = []
  const parser = createSseParser((event) => events.push(event))
  for (const chunk of chunks) parser.push(chunk)
  return events
}

const stream =
  '\ufeff: hello\r\nretry: 1000\r\n\r\nid: a.1\r\nevent: ask.opened\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:x\n\n'
const expected = [
  { id: 'a.1', type: 'ask.opened', data: '{"a":\n1}' },
  { id: 'a.1', type: 'message', data: 'x' },
]

describe('the parser of server-sent events', () => {
  it('reads ids, types, comments and data of several lines', () => expect(parse(stream)).toEqual(expected))

  it('does not care where chunks end', () => {
    expect(parse(...stream.split(''))).toEqual(expected)
    for (let at = 1; at < stream.length; at++) expect(parse(stream.slice(0, at), stream.slice(at))).toEqual(expected)
  })

  it('takes CR alone as the end of a line', () => {
    expect(parse('data: x\r\rdata: y\r\r', ' ')).toEqual([
      { id: null, type: 'message', data: 'x' },
      { id: null, type: 'message', data: 'y' },
    ])
  })

  it('does not report an event that has not ended, nor one without data', () => {
    expect(parse('data: half\n', 'event: x')).toEqual([])
    expect(parse('event: x\n\n')).toEqual([])
  })

  it('keeps a colon and all but one space of the value', () => {
    expect(parse('data:  a: b\n\n')).toEqual([{ id: null, type: 'message', data: ' a: b' }])
  })
})
