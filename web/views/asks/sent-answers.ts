import type { Ask } from '../../../src/domain/ask/schema.ts'

export type AskAnswer = NonNullable<Ask['answer']>
/** `quiet`: one of several answers that share one message. */
export type PendingAnswer = { ask: Ask; answer: AskAnswer; quiet?: boolean }

/** A secret is not kept, not even by the page. */
const isSecret = ({ ask: { subject }, answer }: PendingAnswer): boolean =>
  answer.outcome === 'reply' &&
  (subject.kind === 'credential' || (subject.kind === 'terminal_prompt' && subject.secret))

const secrets = new WeakMap<PendingAnswer, AskAnswer>()

/** An answer as the page remembers it. The text of a secret is handed out only once. */
export function withoutSecret(given: PendingAnswer): PendingAnswer {
  if (!isSecret(given)) return given
  const shown: PendingAnswer = { ...given, answer: { outcome: 'reply', value: '' } }
  secrets.set(shown, given.answer)
  return shown
}

/** The answer to send. */
export function withSecret(shown: PendingAnswer): AskAnswer {
  const answer = secrets.get(shown) ?? shown.answer
  secrets.delete(shown)
  return answer
}

export type AnswerKeys = {
  /** Idempotency key; none for a secret, which must not be recognizable. */
  of(given: PendingAnswer): string | null
  /** The outcome is known: the next one is a new answer. */
  known(askId: string): void
}

/** A retry after a lost reply repeats the same answer instead of sending a second one. */
export function createAnswerKeys(newKey: () => string): AnswerKeys {
  const open = new Map<string, { said: string; key: string }>()
  return {
    of(given) {
      if (isSecret(given)) return null
      const { ask, answer } = given
      const said = JSON.stringify(answer)
      const before = open.get(ask.id)
      const key = before?.said === said ? before.key : newKey()
      open.set(ask.id, { said, key })
      return key
    },
    known: (askId) => void open.delete(askId),
  }
}

/** Uses only what browsers offer over plain HTTP, too. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The outcome of an answer whose reply was lost, judged by the current ask. */
export type Arrival = 'arrived' | 'not-arrived' | 'other'

export function arrivalOf({ status, answer, answeredBy, votes }: Ask, given: PendingAnswer, me: string): Arrival {
  if (status === 'open') return votes.some(({ userId }) => userId === me) ? 'arrived' : 'not-arrived'
  if (answeredBy !== `user:${me}`) return 'other'
  // Answered differently by the same person, for example on their phone.
  return answer === null || answer.outcome === given.answer.outcome ? 'arrived' : 'other'
}
