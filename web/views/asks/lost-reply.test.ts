import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/client/calls.ts'
import { isUnknown, untilKnown } from './lost-reply.ts'

const lost = new TypeError('Failed to fetch')
const refused = new ApiError(409, { code: 'already_answered', message: 'Already answered.' })
const proxy = new ApiError(502, { code: 'unexpected_answer', message: 'The server answered 502.' })

describe('a reply that was lost', () => {
  it('leaves the outcome of the answer unknown; a refusal by the server does not', () => {
    expect([lost, proxy, refused].map(isUnknown)).toEqual([true, true, false])
    expect(isUnknown(new ApiError(503, { code: 'database_busy', message: 'Busy.' }))).toBe(false)
  })

  it('is looked up whenever the server may be reachable, until it is known', async () => {
    const replies = [lost, proxy, 'open']
    let waits = 0
    const read = async () => {
      const reply = replies.shift()
      if (reply instanceof Error) throw reply
      return reply
    }
    const again = async () => {
      waits += 1
    }
    expect([await untilKnown(read, again), waits]).toEqual(['open', 2])
  })

  it('is no longer looked up once the server refuses', async () => {
    await expect(untilKnown(() => Promise.reject(refused), Promise.reject)).rejects.toBe(refused)
  })
})
