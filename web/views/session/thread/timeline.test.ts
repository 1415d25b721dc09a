import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../../src/domain/ask/schema.ts'
import type { Message } from '../../../../src/domain/message/schema.ts'
import { timelineOf } from './timeline.ts'

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`
const message = (id: string, second: number) => ({ id, timestamp: at(second) }) as Message
const ask = (id: string, second: number, status = 'consumed') => ({ id, createdAt: at(second), status }) as Ask
const keys = (...input: Parameters<typeof timelineOf>) => timelineOf(...input).map(({ key }) => key)

describe('the order of a conversation', () => {
  it('has each ask where it was asked, except open ones', () => {
    const asks = [ask('late', 5), ask('open', 3, 'open'), ask('early', 2)]
    expect(keys([message('a', 1), message('b', 4)], asks, true)).toEqual(['a', 'early', 'b', 'late'])
  })

  it('leaves asks older than the known messages for later, unless there are no older ones', () => {
    const input = [[message('a', 4)], [ask('before', 1)]] as const
    expect(keys(...input, false)).toEqual(['a'])
    expect(keys(...input, true)).toEqual(['before', 'a'])
  })

  it('keeps messages in the order they came in', () => {
    expect(keys([message('b', 4), message('a', 1)], [], true)).toEqual(['b', 'a'])
  })
})
