import type { ServerResponse } from 'node:http'
import { fail, type Failed } from '../../lib/result.ts'
import type { Caller } from './auth.ts'

/** Counts what each caller is being answered: streams and held requests stay open for as long as somebody wants them. */
export type OpenResponses = {
  /** A refusal where the caller has too many open; else this one is counted until it is over. */
  take(caller: Caller, answer: ServerResponse | undefined, most: number): Failed | null
}

/** Of somebody without a role: many browsers with many tabs. Owners and admins can stop the server anyway. */
export const mostOpenResponses = 200
/** Of one token over MCP, where each agent behind it holds a call or two. */
export const mostMcpResponses = 1000

export function createOpenResponses(): OpenResponses {
  const open = new Map<string, number>()
  return {
    take({ actor, viewer, credential }, answer, most) {
      if (viewer.sees === 'all' || !answer || answer.destroyed) return null
      // A person makes themselves as many tokens as they like; behind each of an agent's are agents of its own.
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
    message: `You have ${most} requests and streams open already.`,
    hint: 'Close some, then try again.',
    details: { retryAfter: 5 },
  })
