import { verbOf } from '../../../src/domain/ask/answer-words.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import type { Signal } from '../../ui/badge.tsx'

export { verbOf }

type ClosedAsk = Pick<Ask, 'status' | 'answer' | 'subject' | 'undoneAt'> & { readonly retractedAt?: string | null }

/** The outcome of an ask in one line. `who` is the name of the answerer. */
export function outcomeLine(ask: ClosedAsk, who: string | null): string {
  switch (ask.status) {
    case 'open':
      return 'Waiting for an answer'
    case 'expired':
      return 'Expired without an answer'
    case 'interrupted':
      return 'Interrupted: its session ended first'
    case 'cancelled':
      return 'Withdrawn'
    default: {
      const line = `${verbOf(ask)}${who === null ? '' : ` by ${who}`}`
      return ask.undoneAt === null ? line : `${line}, then undone`
    }
  }
}

export function outcomeSignal({ status, answer, subject, undoneAt, retractedAt = null }: ClosedAsk): Signal {
  if (status === 'failed') return 'stop'
  if (retractedAt !== null) return 'plain'
  if (status === 'expired' || status === 'interrupted' || status === 'cancelled' || undoneAt !== null) return 'plain'
  const verb = verbOf({ answer, subject })
  return /^(Rejected|Stopped|Declined)/.test(verb) ? 'stop' : 'clear'
}

/** Name of the answerer; `by` is user:<id>, policy:<rule> or system:<part>. */
export function answererName(by: string | null, nameOf: (userId: string) => string | null): string | null {
  if (by === null) return null
  const [kind, ...rest] = by.split(':')
  const what = rest.join(':')
  if (kind === 'user') return nameOf(what) ?? 'a former user'
  if (kind === 'policy') return `the policy (${what})`
  if (by === 'system:clock') return 'a timeout'
  return kind === 'system' ? 'Signalbox' : by
}
