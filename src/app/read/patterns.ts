import { writeExchange } from '../../domain/pattern/exchange.ts'
import {
  confirmedAnswer,
  getPattern,
  inferInput,
  inputHistory,
  keptPatterns,
  listInputEvents,
  listPatternRules,
  listPatterns,
  type InputPage,
  type PatternPage,
  type PatternQuestion,
  type RulePage,
} from '../../domain/pattern/query.ts'
import type { InputEventId, PatternId } from '../../domain/pattern/schema.ts'
import { loadEvent } from '../../domain/pattern/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { isAdmin } from '../../domain/user/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound, ok } from '../../lib/result.ts'
import { selfOf, type ReadContext } from './context.ts'

/** Answers that people gave in terminals, and the patterns learned from them. */
export function createPatternReads({ database, behind, visibleSession }: ReadContext) {
  const { read: db } = database
  return {
    patterns: behind('person', async (_viewer, who, page: Omit<PatternPage, 'userId'>) =>
      ok(await listPatterns(db, { ...page, userId: selfOf(who) })),
    ),
    pattern: behind('person', async (_viewer, who, id: PatternId) => {
      const found = await getPattern(db, selfOf(who), id)
      return found ? ok(found) : notFound('pattern', id)
    }),
    exportPatterns: behind('person', async (_viewer, who) => ok(writeExchange(await keptPatterns(db, selfOf(who))))),
    /** The caller's own rules. An admin may revoke any rule, so they also see one that they name by id. */
    patternRules: behind('person', async (_viewer, who, filter: Omit<RulePage, 'userId'>) =>
      ok(
        await listPatternRules(db, { ...filter, userId: filter.id !== undefined && isAdmin(who) ? null : selfOf(who) }),
      ),
    ),
    inputEvents: behind('anyone', async (viewer, _who, page: InputPage & { sessionId: SessionId }) => {
      const session = await visibleSession(viewer, page.sessionId)
      return session.ok ? ok(await listInputEvents(db, page)) : session
    }),
    ownInputEvents: behind('person', async (_viewer, who, page: Omit<InputPage, 'userId'>) =>
      ok(await listInputEvents(db, { ...page, userId: selfOf(who) })),
    ),
    inputHistory: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(await inputHistory(db, id)) : session
    }),
    infer: behind('anyone', async (_viewer, who, question: Omit<PatternQuestion, 'userId'>, now: number) =>
      'userId' in who.actor
        ? ok(await inferInput(db, { ...question, userId: who.actor.userId }, now))
        : notFound('user', who.actor.kind),
    ),
    /** For edges that have authenticated the caller. */
    inputsOf: (clock: Pick<Clock, 'now'>) => ({
      inferInput: (question: PatternQuestion) => inferInput(db, question, clock.now()),
      inputEvent: async (id: InputEventId) => loadEvent(db, id),
    }),
    confirmedAnswer: (question: Parameters<typeof confirmedAnswer>[1]) => confirmedAnswer(db, question),
  }
}
