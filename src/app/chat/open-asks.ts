import type { Answer } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { listAsks } from '../../domain/ask/query.ts'
import { answerTo } from '../../domain/chat/answer-text.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { Database } from '../../db/open.ts'
import type { Fault } from '../../lib/result.ts'
import type { App } from '../app.ts'

export type FittingAsk = {
  readonly id: AskId
  readonly title: string
  readonly answer: Answer
  /** It can't be an ordinary message. */
  readonly exact: boolean
}

const mostOpen = 50

/** The open asks of a session that a text answers, and that this person may answer. */
export async function fittingAsks(
  { app, database }: { app: Pick<App, 'check'>; database: Pick<Database, 'read'> },
  sessionId: SessionId,
  text: string,
  actor: Actor,
): Promise<FittingAsk[]> {
  const open = await listAsks(database.read, { sees: 'all' }, { sessionId, statuses: ['open'], limit: mostOpen })
  const found: FittingAsk[] = []
  for (const { id, title, subject } of open.toReversed()) {
    const said = answerTo(subject, text)
    if (!said) continue
    const refused = await app.check({ type: 'ask.answer', id, answer: said.answer }, actor)
    // It is an answer, and not a message for the agent: the person is told how to confirm it.
    const isUnconfirmed = refused !== null && refused !== 'repeated' && refused.fault.code === 'danger_not_confirmed'
    if (refused === null || isUnconfirmed) found.push({ id, title, ...said })
  }
  return found
}

const shownTitle = (title: string): string => `"${title.replaceAll(/\s+/g, ' ').slice(0, 80)}"`

/** Several asks take the same answer. */
export const severalAsks = (asks: readonly { readonly title: string }[]): Fault => ({
  kind: 'conflict',
  code: 'several_asks',
  message: `${asks.length} asks are open: ${asks.map(({ title }) => shownTitle(title)).join(', ')}.`,
  hint: 'Use the buttons of the one you mean, or reply to its card.',
})
