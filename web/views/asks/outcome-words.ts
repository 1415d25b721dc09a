import { verbOf } from '../../../src/domain/ask/answer-words.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import type { Signal } from '../../ui/badge.tsx'

export { verbOf }

type Ended = Pick<Ask, 'status' | 'answer' | 'subject' | 'undoneAt'>

/** What became of an ask, in a line. `who` is how the answerer is called. */
export function outcomeLine(ask: Ended, who: string | null): string {
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

export function outcomeSignal({ status, answer, subject, undoneAt }: Ended): Signal {
  if (status === 'failed') return 'stop'
  if (status === 'expired' || status === 'interrupted' || status === 'cancelled' || undoneAt !== null) return 'plain'
  const verb = verbOf({ answer, subject })
  return /^(Rejected|Stopped|Declined)/.test(verb) ? 'stop' : 'clear'
}

/** Who answered, as people say it: `by` is user:<id>, policy:<rule> or system:<part>. */
export function whoWords(by: string | null, nameOf: (userId: string) => string | null): string | null {
  if (by === null) return null
  const [kind, ...rest] = by.split(':')
  const what = rest.join(':')
  if (kind === 'user') return nameOf(what) ?? 'a removed person'
  if (kind === 'policy') return `the policy (${what})`
  if (by === 'system:clock') return 'a timeout'
  return kind === 'system' ? 'Signalbox itself' : by
}
