import { describe, expect, it } from 'vitest'
import { replayedRequest, callKeyOf, requestRecord, readRequestRecord } from './request-record.ts'

const request = (key?: string) =>
  new Request('http://localhost/mcp', { headers: key === undefined ? {} : { 'x-signalbox-call': key } })
const text = '{"jsonrpc":"2.0",\n"id":1}'

describe('a recorded request', () => {
  it('is kept with its sender’s key, and is the same call when it is repeated', () => {
    const note = readRequestRecord(requestRecord(text, request('call#1')))
    expect(note).toEqual({ text, callKey: 'call#1' })
    expect(callKeyOf(replayedRequest(note.callKey))).toBe('call#1')
  })

  it('is stored unchanged if its caller gave no key', () => {
    expect(requestRecord(text, request())).toBe(text)
    expect(readRequestRecord(text)).toEqual({ text, callKey: null })
    expect(replayedRequest(null)).toBeUndefined()
  })

  it.each(['', 'with space', 'x'.repeat(201)])('the key %j is invalid', (key) => {
    expect(callKeyOf(request(key))).toBeNull()
  })
})
