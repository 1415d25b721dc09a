import type { Ask } from '../../../src/domain/ask/schema.ts'

export type Answer = NonNullable<Ask['answer']>
/** `quiet`: one of several, about which something is said together. */
export type Answering = { ask: Ask; answer: Answer; quiet?: boolean }

/** Its words are nobody's to keep: not the page's either. */
const isSecret = ({ ask: { subject }, answer }: Answering): boolean =>
  subject.kind === 'terminal_prompt' && subject.secret && answer.outcome === 'reply'

const secrets = new WeakMap<Answering, Answer>()

/** An answer as the page may remember it: without the words of a secret, which are handed out once. */
export function veiled(given: Answering): Answering {
  if (!isSecret(given)) return given
  const shown: Answering = { ...given, answer: { outcome: 'reply', value: '' } }
  secrets.set(shown, given.answer)
  return shown
}

/** What is to be sent. */
export function unveiled(shown: Answering): Answer {
  const answer = secrets.get(shown) ?? shown.answer
  secrets.delete(shown)
  return answer
}

export type AnswerKeys = {
  /** Under which the server takes it once; none for a secret, which is not to be recognised by anything. */
  of(given: Answering): string | null
  /** It is known what became of it: whatever comes next is another answer. */
  known(askId: string): void
}

/** Whoever tries again after a lost reply says the same thing again, and not a second one. */
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

/** By what every browser has, also over plain HTTP. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** What became of an answer whose reply did not come, by the ask as it is now. */
export type Arrival = 'arrived' | 'not-arrived' | 'other'

export function arrivalOf({ status, answer, answeredBy, votes }: Ask, given: Answering, me: string): Arrival {
  if (status === 'open') return votes.some(({ userId }) => userId === me) ? 'arrived' : 'not-arrived'
  if (answeredBy !== `user:${me}`) return 'other'
  // Answered by the same person in another way, on their phone say.
  return answer === null || answer.outcome === given.answer.outcome ? 'arrived' : 'other'
}
