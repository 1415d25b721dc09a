import type { Answer } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { Requester } from './requester.ts'

/** Holds an answer that must not be stored until it is typed. */
export type SecretAnswers = {
  /** False if its terminal is not on this node. */
  holdSecret(askId: AskId, sessionId: SessionId, value: string): boolean
  dropSecret(askId: AskId): void
}

/** Answers an ask. A secret is held in memory until it is typed; neither it nor anything derived from it is stored. */
export type AnswerAsk = (id: AskId, answer: Answer, by: Requester) => Promise<Result<void>>

const redacted = '[REDACTED]'

export function createAnswerAsk(app: Pick<App, 'read' | 'check' | 'dispatch'>, secrets: SecretAnswers): AnswerAsk {
  return async (id, answer, { actor, standing, once }) => {
    const ask = await app.read.ask(standing, id)
    const isSecret = ask.ok && ask.value.subject.kind === 'terminal_prompt' && ask.value.subject.secret
    if (!isSecret || answer.outcome !== 'reply') {
      const done = await app.dispatch({ type: 'ask.answer', id, answer }, actor, once)
      return done.ok ? ok(undefined) : done
    }
    const command = { type: 'ask.answer' as const, id, answer: { outcome: 'reply' as const, value: redacted } }
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

const elsewhere = {
  kind: 'unavailable' as const,
  code: 'other_node',
  message: 'The terminal runs on another server, and only that server can receive the secret.',
  hint: 'Answer on that server.',
}
