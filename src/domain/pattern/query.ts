import { sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { PromptType } from '../terminal/schema.ts'
import type { UserId } from '../user/id.ts'
import type { PatternId, PatternRuleId } from './id.ts'
import { writeHistory } from './exchange.ts'
import { infer } from './infer.ts'
import { contextOf, keyOf, promptHash } from './key.ts'
import { neverLearned } from './learnable.ts'
import { normalisePrompt } from './normalise.ts'
import type {
  Inference,
  InputEvent,
  InputHistory,
  KeptPattern,
  Pattern,
  PatternRule,
  PatternRuleStatus,
} from './schema.ts'
import { loadPattern, toEvent, withResponses } from './store.ts'

export type PatternPage = {
  userId: UserId
  program?: string | undefined
  /** Words of the question. */
  q?: string | undefined
  limit: number
  offset?: number | undefined
}

export async function listPatterns(
  db: Executor,
  { userId, program, q, limit, offset = 0 }: PatternPage,
): Promise<{ patterns: Pattern[]; total: number }> {
  let query = db.selectFrom('patterns').where('user_id', '=', userId)
  if (program !== undefined) query = query.where('program', '=', program)
  if (q !== undefined) query = query.where(sql<boolean>`lower(prompt_text) like ${holds(q)} escape '!'`)
  const { total } = await query.select(({ fn }) => fn.countAll().as('total')).executeTakeFirstOrThrow()
  const rows = await query
    .selectAll()
    .orderBy('last_seen', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return { patterns: (await withResponses(db, rows)).map(shownPattern), total: Number(total) }
}

/** All patterns of a person, the latest first. */
export async function keptPatterns(db: Executor, userId: UserId): Promise<KeptPattern[]> {
  const rows = await db
    .selectFrom('patterns')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_seen', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return withResponses(db, rows)
}

/** Not found if it belongs to another person. */
export async function getPattern(db: Executor, userId: UserId, id: PatternId): Promise<Pattern | undefined> {
  const found = await loadPattern(db, id)
  return found?.userId === userId ? shownPattern(found) : undefined
}

const shownPattern = ({ streak: _streak, responses, ...pattern }: KeptPattern): Pattern => ({
  ...pattern,
  responses: responses.map(({ response, count, successCount, lastAt }) => ({ response, count, successCount, lastAt })),
  totalOccurrences: responses.reduce((sum, { count }) => sum + count, 0),
})

export type PatternQuestion = {
  userId: UserId
  promptText: string
  promptType?: PromptType | undefined
  secret?: boolean | undefined
  dangerous?: boolean | undefined
  /** Where it is asked, as far as known. An empty host is this machine. */
  program?: string | undefined
  host?: string | undefined
  place?: string | undefined
}

/** The answer that a person is expected to give. */
export async function inferInput(db: Executor, question: PatternQuestion, now: number): Promise<Inference> {
  const { userId, promptText, promptType = 'unknown', secret = false, dangerous = false } = question
  const never = neverLearned({ promptText, promptType, secret, dangerous })
  if (never !== null) return infer({ patterns: [], merged: false, never }, now)
  const rows = await db
    .selectFrom('patterns')
    .selectAll()
    .where('user_id', '=', userId)
    .where('prompt_hash', '=', promptHash(normalisePrompt(promptText)))
    .execute()
  const patterns = await withResponses(db, rows)
  const known = contextOf({ program: '', host: '', place: '', ...given(question) })
  const isHere = ({ context }: KeptPattern) =>
    question.program !== undefined &&
    question.host !== undefined &&
    context.program === known.program &&
    context.host === known.host &&
    (question.place === undefined || context.place === known.place)
  const here = patterns.filter(isHere)
  if (here.length > 0) return infer({ patterns: here, merged: false, never }, now)
  // The same words from another program are another question.
  const alike = patterns.filter(
    ({ context }) => known.program === '' || context.program === '' || context.program === known.program,
  )
  return infer({ patterns: alike, merged: alike.length > 0, never }, now)
}

const given = ({ program, host, place }: PatternQuestion) => ({
  ...(program !== undefined && { program }),
  ...(host !== undefined && { host }),
  ...(place !== undefined && { place }),
})

/** The answer a person confirmed for this question; null if it has to be asked. */
export async function confirmedAnswer(
  db: Executor,
  question: Required<Pick<PatternQuestion, 'userId' | 'promptText' | 'program' | 'host' | 'place' | 'promptType'>> & {
    secret: boolean
    dangerous: boolean
  },
): Promise<{ ruleId: PatternRuleId; response: string } | null> {
  const {
    userId,
    promptText,
    program = '',
    host = '',
    place = '',
    promptType = 'unknown',
    secret,
    dangerous,
  } = question
  if (neverLearned({ promptText, promptType, secret, dangerous }) !== null) return null
  const row = await db
    .selectFrom('pattern_rules')
    .select(['id', 'response'])
    .where('pattern_id', '=', keyOf(userId, promptText, { program, host, place }).id)
    .where('status', '=', 'confirmed')
    .executeTakeFirst()
  return row ? { ruleId: row.id, response: row.response } : null
}

export type RulePage = {
  /** Whose; null: anyone's. */
  userId: UserId | null
  id?: PatternRuleId | undefined
  statuses?: readonly PatternRuleStatus[] | undefined
}

/** Newest first. */
export async function listPatternRules(db: Executor, { userId, id, statuses }: RulePage): Promise<PatternRule[]> {
  let query = db
    .selectFrom('pattern_rules')
    .innerJoin('patterns', 'patterns.id', 'pattern_rules.pattern_id')
    .selectAll('pattern_rules')
    .select(['user_id', 'prompt_text', 'prompt_type', 'program', 'host', 'place'])
  if (userId !== null) query = query.where('user_id', '=', userId)
  if (id !== undefined) query = query.where('pattern_rules.id', '=', id)
  if (statuses !== undefined) query = query.where('status', 'in', statuses)
  const rows = await query
    .orderBy('pattern_rules.created_at', 'desc')
    .orderBy('pattern_rules.id', 'desc')
    .limit(1000)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    patternId: row.pattern_id,
    userId: row.user_id,
    promptText: row.prompt_text,
    promptType: row.prompt_type,
    context: { program: row.program, host: row.host, place: row.place },
    response: row.response,
    status: row.status,
    evidence: row.evidence,
    why: evidenceWords(row.response, row.evidence),
    createdAt: row.created_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
  }))
}

const evidenceWords = (response: string, evidence: number): string =>
  `The last ${evidence} of ${evidence} times you answered ${response === '' ? 'with Enter alone' : response}, and it was accepted each time.`

export type InputPage = {
  sessionId?: SessionId | undefined
  userId?: UserId | undefined
  /** Words of the question or of the answer. */
  q?: string | undefined
  since?: string | undefined
  until?: string | undefined
  before?: { at: string; id: string } | undefined
  limit: number
}

/** Newest first. */
export async function listInputEvents(db: Executor, page: InputPage): Promise<InputEvent[]> {
  const { sessionId, userId, q, since, until, before, limit } = page
  let query = db.selectFrom('input_events').selectAll().orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (before !== undefined) query = query.where(sql<boolean>`(at, id) < (${before.at}, ${before.id})`)
  if (q !== undefined)
    query = query.where(
      sql<boolean>`(lower(prompt_text) like ${holds(q)} escape '!' or lower(input_text) like ${holds(q)} escape '!')`,
    )
  return (await query.execute()).map(toEvent).map(({ witnessed: _witnessed, ...event }) => event)
}

/** All that was typed in a session, oldest first, in the layout of an export. */
export async function inputHistory(db: Executor, sessionId: SessionId): Promise<InputHistory> {
  const rows = await db
    .selectFrom('input_events')
    .selectAll()
    .where('session_id', '=', sessionId)
    .orderBy('at')
    .orderBy('id')
    .execute()
  return writeHistory(sessionId, rows.map(toEvent))
}

/** History is kept for a limited time; what was learned stays, and fades. */
export async function forgetInputEvents(db: Executor, before: string): Promise<number> {
  const done = await db.deleteFrom('input_events').where('at', '<', before).executeTakeFirst()
  return Number(done.numDeletedRows)
}

const holds = (words: string): string => `%${words.toLowerCase().replaceAll(/[!%_]/g, '!$&')}%`
