import { redacted, type Answer } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { UserId } from '../../domain/user/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Requester } from './requester.ts'

/** Holds an answer that must not be stored until it is typed. */
export type SecretAnswers = {
  /** False if its terminal is not on this node. */
  holdSecret(askId: AskId, sessionId: SessionId, value: string): boolean
  dropSecret(askId: AskId): void
}

/** Keeps the value of a credential, sealed, until its ask is carried out. */
export type CredentialAnswers = {
  offer(askId: AskId, userId: UserId, value: string): Promise<Result<void>>
  withdraw(askId: AskId, userId: UserId): Promise<void>
}

/** Answers an ask. A secret is held in memory until it is typed; neither it nor anything derived from it is stored. */
export type AnswerAsk = (id: AskId, answer: Answer, by: Requester) => Promise<Result<void>>

export function createAnswerAsk(
  app: Pick<App, 'read' | 'check' | 'dispatch'>,
  secrets: SecretAnswers,
  credentials: CredentialAnswers,
): AnswerAsk {
  /** The value of a credential is sealed and kept before its answer is stored. */
  async function giveCredential(id: AskId, value: string, { actor, once }: Requester): Promise<Result<void>> {
    const command = { type: 'ask.answer' as const, id, answer: { outcome: 'reply' as const, value: redacted } }
    const refused = await app.check(command, actor, once)
    if (refused && refused !== 'repeated') return refused
    if (actor.kind !== 'person') return fail(onlyPeople)
    if (value.trim() === '') return fail(emptyValue)
    const offered = await credentials.offer(id, actor.userId, value)
    if (!offered.ok) return offered
    const done = await app.dispatch(command, actor, once)
    if (done.ok) return ok(undefined)
    await credentials.withdraw(id, actor.userId)
    return done
  }

  return async (id, answer, by) => {
    const { actor, standing, once } = by
    const ask = await app.read.ask(standing, id)
    if (ask.ok && ask.value.subject.kind === 'credential' && answer.outcome === 'reply')
      return giveCredential(id, answer.value, by)
    const isSecret = ask.ok && ask.value.subject.kind === 'terminal_prompt' && ask.value.subject.secret
    if (!isSecret || answer.outcome !== 'reply') {
      const done = await app.dispatch({ type: 'ask.answer', id, answer }, actor, once)
      return done.ok ? ok(undefined) : done
    }
    const command = { type: 'ask.answer' as const, id, answer: { ...answer, value: redacted } }
    const refused = await app.check(command, actor)
    if (refused && refused !== 'repeated') return refused
    const { sessionId } = ask.value
    if (sessionId === null || !secrets.holdSecret(id, sessionId, answer.value)) return fail(elsewhere)
    const done = await app.dispatch(command, actor)
    if (done.ok) return ok(undefined)
    secrets.dropSecret(id)
    return done
  }
}

const onlyPeople = {
  kind: 'forbidden' as const,
  code: 'agents_never_answer',
  message: "Agents can't answer asks; a person must.",
}

const emptyValue = {
  kind: 'invalid' as const,
  code: 'answer_does_not_fit',
  message: 'The value of the credential is empty.',
}

const elsewhere = {
  kind: 'unavailable' as const,
  code: 'other_node',
  message: 'The terminal runs on another server, and only that server can receive the secret.',
  hint: 'Answer on that server.',
}
