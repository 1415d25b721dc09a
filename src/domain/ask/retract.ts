import { canonicalJson } from '../../lib/json.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import type { SessionOwnChange } from '../session/schema.ts'
import { hasEffect, type Answer } from './answer.ts'
import type { AskChange } from './change.ts'
import type { Ask } from './schema.ts'
import type { AskState } from './state.ts'

/** An approval that Signalbox has not applied yet. Any other answer reached the agent at once. */
export const isUnused = ({ status, answer, kind }: Pick<Ask, 'status' | 'answer' | 'kind'>): boolean =>
  status === 'answered' && answer !== null && hasEffect(kind, answer)

/** The approval becomes a rejection. The first wins: this, or the use of the approval. */
export function decideRetract(
  ask: AskState,
  reason: string | null,
  by: string,
): Result<(AskChange | SessionOwnChange)[]> {
  const { id, sessionId, answerers, subject, answer: given, answeredBy } = ask
  if (!isUnused({ ...ask, kind: subject.kind })) return notRetractable(ask)
  const answer: Answer = { outcome: 'reject', reason: reason ?? 'The approval was retracted.' }
  const ref = answerers === null ? { id, sessionId } : { id, sessionId, answerers }
  const data = { ...ref, by, approvedBy: answeredBy, answerHash: sha256(canonicalJson(answer)) }
  const changes: (AskChange | SessionOwnChange)[] = [{ type: 'ask.retracted', data, body: answer }]
  // What was allowed for the whole session with it goes too.
  if (given?.outcome === 'approve' && given.forSession === true && sessionId !== null)
    changes.push({ type: 'session.disallowed', data: { id: sessionId, allowanceId: id, by } })
  return ok(changes)
}

function notRetractable({ id, status, retracted, answer }: AskState): Failed {
  if (retracted)
    return fail({ kind: 'conflict', code: 'already_retracted', message: 'The approval was retracted already.' })
  if (status === 'applying')
    return fail({ kind: 'conflict', code: 'already_consumed', message: 'It is being applied right now.' })
  if (status === 'consumed')
    return fail({
      kind: 'conflict',
      code: 'already_consumed',
      message: 'It has been applied already.',
      hint: `Undo it instead: signalbox undo ${id}`,
    })
  const why =
    status === 'answered' && answer !== null
      ? 'The agent got this answer at once. Only an approval that Signalbox applies can be retracted'
      : `The ask is ${status}; there is no approval to retract`
  return fail({ kind: 'conflict', code: 'nothing_to_retract', message: `${why}.` })
}
