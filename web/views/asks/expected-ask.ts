import type { Ask } from '../../../src/domain/ask/schema.ts'
import { allows } from './bulk-answer.ts'

/** The expected ask after an answer, shown before the server confirms. */
export function expectedAsk(ask: Ask, answer: NonNullable<Ask['answer']>, me: string, now: string): Ask {
  const consents = answer.outcome === 'approve' || (ask.subject.kind === 'permission' && allows(ask.subject, answer))
  if (consents && ask.votes.length + 1 < ask.needed) return ask
  return { ...ask, status: 'answered', answer, answeredBy: `user:${me}`, answeredAt: now }
}
