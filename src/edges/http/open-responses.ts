import type { ServerResponse } from 'node:http'
import { fail, type Failed } from '../../lib/result.ts'
import type { Caller } from './auth.ts'

/** Counts the open responses of each caller: streams and held requests may stay open for long. */
export type OpenResponses = {
  /** A refusal if the caller has too many open; otherwise this one is counted until it closes. */
  take(caller: Caller, answer: ServerResponse | undefined, most: number): Failed | null
}

/** For people without a role: enough for many tabs. Owners and admins can stop the server anyway. */
export const mostOpenResponses = 200
/** For one token over MCP, which several agents may share. */
export const mostMcpResponses = 1000

export function createOpenResponses(): OpenResponses {
  const open = new Map<string, number>()
  return {
    take({ actor, viewer, credential }, answer, most) {
      if (viewer.sees === 'all' || !answer || answer.destroyed) return null
      // By person: they can make any number of tokens. By token for agents.
      const who = actor.kind === 'person' ? actor.userId : (credential.tokenId ?? actor.kind)
      const count = open.get(who) ?? 0
      if (count >= most) return tooMany(most)
      open.set(who, count + 1)
      answer.once('close', () => {
        const left = (open.get(who) ?? 1) - 1
        if (left > 0) open.set(who, left)
        else open.delete(who)
      })
      return null
    },
  }
}

const tooMany = (most: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_open_requests',
    message: `You already have ${most} requests and streams open.`,
    hint: 'Close some, then try again.',
    details: { retryAfter: 5 },
  })
