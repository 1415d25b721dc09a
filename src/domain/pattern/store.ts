import type { Executor, Tx } from '../../db/open.ts'
import type { SessionId } from '../session/id.ts'
import type { UserId } from '../user/id.ts'
import type { PatternFacts } from './decide.ts'
import type { InputEventId, PatternId, PatternRuleId } from './id.ts'
import { keyOf, promptHash } from './key.ts'
import { mayLearn } from './learnable.ts'
import type { RuleState } from './propose.ts'
import type { InputEvent, KeptPattern, KeptResponse, PatternChange, PatternCommand } from './schema.ts'
import type { PatternTables } from './table.ts'

type EventRow = PatternTables['input_events']
type PatternRow = PatternTables['patterns']
type ResponseRow = PatternTables['pattern_responses']

/** One stream per person: answers at two places at once both count, and imports too. */
export async function streamsOfPattern(db: Executor, command: PatternCommand): Promise<readonly string[]> {
  const userId = await personOfCommand(db, command)
  return [userId !== null ? `patterns:${userId}` : 'sessionId' in command ? command.sessionId : 'patterns']
}

async function personOfCommand(db: Executor, command: PatternCommand): Promise<UserId | null> {
  switch (command.type) {
    case 'input.track':
    case 'pattern.import':
      return command.userId
    case 'input.judge':
      return (await loadEvent(db, command.id))?.userId ?? null
    case 'pattern.forget':
      return (await loadPattern(db, command.id))?.userId ?? null
    case 'pattern.confirm':
    case 'pattern.dismiss':
    case 'pattern.revoke':
      return (await loadPatternRule(db, command.id))?.userId ?? null
    default:
      return command satisfies never
  }
}

/** What a command is decided with. */
export async function loadPatternFacts(db: Executor, command: PatternCommand): Promise<PatternFacts> {
  switch (command.type) {
    case 'input.track': {
      const [session, event] = [await loadPlace(db, command.sessionId), await loadEvent(db, command.id)]
      if (!session || command.userId === null || !mayLearn(command)) return { session, event, rules: [] }
      const { program, host } = command
      const { id } = keyOf(command.userId, command.promptText, { program, host, place: session.place })
      return { session, event, pattern: await loadPattern(db, id), rules: await rulesOf(db, id) }
    }
    case 'input.judge': {
      const event = await loadEvent(db, command.id)
      const id = event?.patternId ?? null
      if (id === null) return { event, rules: [] }
      return { event, pattern: await loadPattern(db, id), rules: await rulesOf(db, id) }
    }
    case 'pattern.import':
      return { rules: [] }
    case 'pattern.forget':
      return { pattern: await loadPattern(db, command.id), rules: [] }
    case 'pattern.confirm':
    case 'pattern.dismiss':
    case 'pattern.revoke':
      return { rule: await loadPatternRule(db, command.id), rules: [] }
    default:
      return command satisfies never
  }
}

/** The repo if there is one: its worktrees are one place. */
async function loadPlace(db: Executor, id: SessionId): Promise<{ id: SessionId; place: string } | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select(['workspace_root', 'repo_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { id, place: row.repo_id ?? row.workspace_root }
}

export const toEvent = (row: EventRow): InputEvent & { witnessed: boolean } => ({
  id: row.id,
  sessionId: row.session_id,
  at: row.at,
  promptText: row.prompt_text,
  promptType: row.prompt_type,
  inputText: row.input_text,
  success: row.success === null ? null : row.success === 1,
  inputSource: row.input_source,
  responseTimeMs: row.response_time_ms,
  userId: row.user_id,
  patternId: row.pattern_id,
  secret: row.secret === 1,
  witnessed: row.witnessed === 1,
})

const toResponse = (row: ResponseRow): KeptResponse => ({
  response: row.response,
  count: row.count,
  successCount: row.success_count,
  weight: row.weight,
  lastAt: row.last_at,
  recent: row.recent,
})

const toPattern = (row: PatternRow, responses: readonly ResponseRow[]): KeptPattern => ({
  id: row.id,
  userId: row.user_id,
  promptText: row.prompt_text,
  promptType: row.prompt_type,
  context: { program: row.program, host: row.host, place: row.place },
  createdAt: row.created_at,
  lastSeen: row.last_seen,
  streak: row.streak_response === null ? null : { response: row.streak_response, count: row.streak },
  responses: responses.map(toResponse).toSorted((a, b) => b.count - a.count || (a.response < b.response ? -1 : 1)),
})

export async function withResponses(db: Executor, rows: readonly PatternRow[]): Promise<KeptPattern[]> {
  const found = new Map<PatternId, ResponseRow[]>(rows.map(({ id }) => [id, []]))
  for (const ids of inParts(rows.map(({ id }) => id))) {
    const responses = await db.selectFrom('pattern_responses').selectAll().where('pattern_id', 'in', ids).execute()
    for (const row of responses) found.get(row.pattern_id)?.push(row)
  }
  return rows.map((row) => toPattern(row, found.get(row.id) ?? []))
}

export async function loadEvent(db: Executor, id: InputEventId) {
  const row = await db.selectFrom('input_events').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toEvent(row)
}

export async function loadPattern(db: Executor, id: PatternId): Promise<KeptPattern | undefined> {
  const row = await db.selectFrom('patterns').selectAll().where('id', '=', id).executeTakeFirst()
  return row && (await withResponses(db, [row]))[0]
}

const toRule = (row: PatternTables['pattern_rules']): RuleState => ({
  id: row.id,
  response: row.response,
  status: row.status,
  decidedBy: row.decided_by,
  decidedAt: row.decided_at,
})

async function rulesOf(db: Executor, id: PatternId): Promise<RuleState[]> {
  const rows = await db.selectFrom('pattern_rules').selectAll().where('pattern_id', '=', id).execute()
  return rows.map(toRule)
}

async function loadPatternRule(db: Executor, id: PatternRuleId): Promise<PatternFacts['rule']> {
  const row = await db
    .selectFrom('pattern_rules')
    .innerJoin('patterns', 'patterns.id', 'pattern_rules.pattern_id')
    .selectAll('pattern_rules')
    .select('patterns.user_id')
    .where('pattern_rules.id', '=', id)
    .executeTakeFirst()
  return row && { ...toRule(row), patternId: row.pattern_id, userId: row.user_id }
}

export async function projectPattern(tx: Tx, change: PatternChange, at: string): Promise<void> {
  switch (change.type) {
    case 'input.tracked':
      await tx.insertInto('input_events').values(fromEvent(change.body)).execute()
      return
    case 'input.judged': {
      const { id, success } = change.data
      await tx
        .updateTable('input_events')
        .set({ success: success ? 1 : 0 })
        .where('id', '=', id)
        .execute()
      return
    }
    case 'pattern.learned': {
      const { pattern, changed, dropped } = change.body
      await savePatterns(tx, [pattern])
      await saveResponses(tx, [{ id: pattern.id, responses: changed }])
      if (dropped.length > 0)
        await tx
          .deleteFrom('pattern_responses')
          .where('pattern_id', '=', pattern.id)
          .where('response', 'in', dropped)
          .execute()
      return
    }
    case 'pattern.imported':
      for (const patterns of inParts(change.body.patterns)) {
        const ids = patterns.map(({ id }) => id)
        await savePatterns(tx, patterns)
        await tx.deleteFrom('pattern_responses').where('pattern_id', 'in', ids).execute()
        await saveResponses(tx, patterns)
      }
      return
    case 'pattern.forgotten': {
      const { id } = change.data
      await tx.updateTable('input_events').set({ pattern_id: null }).where('pattern_id', '=', id).execute()
      await tx.deleteFrom('patterns').where('id', '=', id).execute()
      return
    }
    case 'pattern.proposed':
      await propose(tx, change, at)
      return
    case 'pattern.withdrawn':
      await tx.deleteFrom('pattern_rules').where('id', '=', change.data.id).execute()
      return
    case 'pattern.confirmed':
      return decide(tx, change.data.id, { status: 'confirmed', decided_by: change.data.by, decided_at: at })
    case 'pattern.dismissed':
      return decide(tx, change.data.id, { status: 'dismissed', decided_by: change.data.by, decided_at: at })
    case 'pattern.revoked':
      return decide(tx, change.data.id, { status: 'revoked', decided_by: change.data.by, decided_at: at })
    default:
      change satisfies never
  }
}

async function savePatterns(tx: Tx, patterns: readonly Omit<KeptPattern, 'responses'>[]): Promise<void> {
  const rows = patterns.map((pattern) => ({
    id: pattern.id,
    user_id: pattern.userId,
    program: pattern.context.program,
    host: pattern.context.host,
    place: pattern.context.place,
    prompt_text: pattern.promptText,
    prompt_hash: promptHash(pattern.promptText),
    prompt_type: pattern.promptType,
    context: JSON.stringify(pattern.context),
    streak_response: pattern.streak?.response ?? null,
    streak: pattern.streak?.count ?? 0,
    created_at: pattern.createdAt,
    last_seen: pattern.lastSeen,
  }))
  await tx
    .insertInto('patterns')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref }) => ({
        prompt_type: ref('excluded.prompt_type'),
        streak_response: ref('excluded.streak_response'),
        streak: ref('excluded.streak'),
        created_at: ref('excluded.created_at'),
        last_seen: ref('excluded.last_seen'),
      })),
    )
    .execute()
}

async function saveResponses(tx: Tx, of: readonly Pick<KeptPattern, 'id' | 'responses'>[]): Promise<void> {
  const rows = of.flatMap(({ id, responses }) =>
    responses.map(({ response, count, successCount, weight, lastAt, recent }) => ({
      pattern_id: id,
      response,
      count,
      success_count: successCount,
      weight,
      last_at: lastAt,
      recent,
    })),
  )
  for (const part of inParts(rows))
    await tx
      .insertInto('pattern_responses')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['pattern_id', 'response']).doUpdateSet(({ ref }) => ({
          count: ref('excluded.count'),
          success_count: ref('excluded.success_count'),
          weight: ref('excluded.weight'),
          last_at: ref('excluded.last_at'),
          recent: ref('excluded.recent'),
        })),
      )
      .execute()
}

async function propose(tx: Tx, { data, body }: Extract<PatternChange, { type: 'pattern.proposed' }>, at: string) {
  const { id, patternId, evidence } = data
  await tx
    .insertInto('pattern_rules')
    .values({
      id,
      pattern_id: patternId,
      response: body.response,
      status: 'proposed',
      evidence,
      created_at: at,
      decided_by: null,
      decided_at: null,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ evidence }))
    .execute()
}

async function decide(tx: Tx, id: PatternRuleId, values: Partial<PatternTables['pattern_rules']>): Promise<void> {
  await tx.updateTable('pattern_rules').set(values).where('id', '=', id).execute()
}

const fromEvent = (event: InputEvent & { witnessed: boolean }): EventRow => ({
  id: event.id,
  session_id: event.sessionId,
  at: event.at,
  prompt_text: event.promptText,
  prompt_type: event.promptType,
  input_text: event.inputText,
  success: event.success === null ? null : event.success ? 1 : 0,
  input_source: event.inputSource,
  response_time_ms: event.responseTimeMs,
  user_id: event.userId,
  pattern_id: event.patternId,
  secret: event.secret ? 1 : 0,
  witnessed: event.witnessed ? 1 : 0,
})

/** Databases limit the number of parameters. */
function* inParts<T>(all: readonly T[], size = 500): Iterable<readonly T[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size)
}
