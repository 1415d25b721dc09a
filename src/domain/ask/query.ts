import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Executor } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Tables } from '../../db/tables.ts'
import type { SessionId } from '../session/id.ts'
import type { Viewer } from '../user/actor.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import { circlesOfGroups } from '../user/query.ts'
import { peopleUpTo, type Circles } from './administration.ts'
import { allowableOf } from './allowance.ts'
import type { AskId } from './id.ts'
import { circles, type Ask, type AskStatus, type Circle } from './schema.ts'
import { answerColumn, answerersColumn, reasonsColumn, resultColumn, subjectColumn } from './store.ts'
import type { AskSubject, AskKind } from './subject.ts'

export type AskPage = {
  sessionId?: SessionId | undefined
  kinds?: readonly AskKind[] | undefined
  /** Administrative asks about this agent group. */
  agentGroupId?: AgentGroupId | undefined
  /** Asks of all sessions in a workspace. */
  workspaceRoot?: string | undefined
  since?: string | undefined
  statuses?: readonly AskStatus[] | undefined
  limit: number
  before?: { createdAt: string; id: string } | undefined
  /** By when they were asked, or by when they were answered: then only those with an answer. */
  order?: 'asked' | 'answered' | undefined
  /** Who answered: `user:<id>`. Also those whose vote counted, and whose approval was retracted. */
  answeredBy?: UserId | undefined
  automatic?: boolean | undefined
}

type Condition = Expression<SqlBool>

/** An ask is visible with its session, or to the answerers it names. */
function visibleAsks(eb: ExpressionBuilder<Tables, 'asks'>, viewer: Viewer): Condition {
  switch (viewer.sees) {
    case 'all':
      return eb.lit(true)
    case 'own': {
      const sessions = eb
        .selectFrom('sessions')
        .select('sessions.id')
        .where((inner) =>
          inner.or([
            inner('sessions.owner_user_id', '=', viewer.userId),
            ...(viewer.groups.length > 0 ? [inner('sessions.agent_group_id', 'in', viewer.groups)] : []),
          ]),
        )
      const delegated = eb.selectFrom('session_delegates').select('session_id').where('user_id', '=', viewer.userId)
      return eb.or([
        eb('asks.session_id', 'in', sessions),
        eb('asks.session_id', 'in', delegated),
        eb('asks.answerers', 'like', `%"${viewer.userId}"%`),
      ])
    }
    case 'agent': {
      const sessions = eb
        .selectFrom('sessions')
        .select('sessions.id')
        .where((inner) =>
          inner.or([
            ...(viewer.tokenId === null ? [] : [inner('sessions.token_id', '=', viewer.tokenId)]),
            ...(viewer.sessionId === null ? [] : [inner('sessions.id', '=', viewer.sessionId)]),
          ]),
        )
      return eb('asks.session_id', 'in', sessions)
    }
    case 'nothing':
      return eb.lit(false)
    default:
      return viewer satisfies never
  }
}

/** Newest first. */
export async function listAsks(db: Executor, viewer: Viewer, page: AskPage): Promise<Ask[]> {
  const { sessionId, workspaceRoot, since, statuses, kinds, agentGroupId, limit, before, answeredBy, automatic } = page
  const at = page.order === 'answered' ? 'answered_at' : 'created_at'
  let query = db
    .selectFrom('asks')
    .selectAll()
    .where((eb) => visibleAsks(eb, viewer))
    .orderBy(at, 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (at === 'answered_at') query = query.where('answered_at', 'is not', null)
  if (automatic !== undefined) query = query.where('automatic', '=', Number(automatic))
  if (answeredBy !== undefined) query = query.where((eb) => answeredByPerson(eb, answeredBy))
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId)
  if (workspaceRoot !== undefined)
    query = query.where('session_id', 'in', (eb) =>
      eb.selectFrom('sessions').select('sessions.id').where('workspace_root', '=', workspaceRoot),
    )
  if (since !== undefined) query = query.where('created_at', '>=', since)
  if (kinds !== undefined) query = query.where('kind', 'in', kinds)
  if (agentGroupId !== undefined) query = query.where('agent_group_id', '=', agentGroupId)
  if (statuses !== undefined) query = query.where('status', 'in', statuses)
  if (before !== undefined)
    query = query.where(sql<boolean>`(${sql.ref(at)}, id) < (${before.createdAt}, ${before.id})`)
  return withVotes(db, await query.execute())
}

const answeredByPerson = (eb: ExpressionBuilder<Tables, 'asks'>, id: UserId): Condition =>
  eb.or([
    eb('asks.answered_by', '=', `user:${id}`),
    eb('asks.approved_by', '=', `user:${id}`),
    eb('asks.id', 'in', eb.selectFrom('ask_votes').select('ask_id').where('user_id', '=', id)),
  ])

export async function countOpenAsks(db: Executor, viewer: Viewer): Promise<number> {
  const row = await db
    .selectFrom('asks')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('status', '=', 'open')
    .where((eb) => visibleAsks(eb, viewer))
    .executeTakeFirst()
  return row?.n ?? 0
}

/** The fields of an open ask that its position in the list depends on. */
export type AskHead = Pick<
  Ask,
  'id' | 'sessionId' | 'kind' | 'riskLevel' | 'answerers' | 'createdAt' | 'expiresAt' | 'agentGroupId' | 'requestedBy'
> & {
  /** A terminal prompt whose answer could do harm. */
  dangerous: boolean
  voters: UserId[]
}

/** All open asks, without their texts, which may be long. */
export async function openAskHeads(db: Executor, viewer: Viewer): Promise<AskHead[]> {
  const rows = await db
    .selectFrom('asks')
    .select([
      'id',
      'session_id as sessionId',
      'kind',
      'risk_level as riskLevel',
      'needed',
      'answerers',
      'agent_group_id as agentGroupId',
      'requested_by as requestedBy',
      'created_at as createdAt',
      'expires_at as expiresAt',
      sql<string | null>`case when kind = 'terminal_prompt' then subject end`.as('subject'),
    ])
    .where('status', '=', 'open')
    .where((eb) => visibleAsks(eb, viewer))
    .execute()
  const votes = Map.groupBy(await votesOn(db, rows), (vote) => vote.ask_id)
  return rows.map(({ needed: _needed, answerers, subject, ...row }) =>
    Object.assign(row, {
      answerers: answerersColumn(answerers),
      dangerous: isDangerous(subjectColumn(subject)),
      voters: (votes.get(row.id) ?? []).map((vote) => vote.user_id),
    }),
  )
}

/** Callers check permission first. */
export async function asksById(db: Executor, ids: readonly AskId[]): Promise<Ask[]> {
  if (ids.length === 0) return []
  return withVotes(db, await db.selectFrom('asks').selectAll().where('id', 'in', ids).execute())
}

/** Decided asks of a session about file changes. */
export async function decidedChanges(db: Executor, sessionId: SessionId): Promise<Ask[]> {
  const rows = await db
    .selectFrom('asks')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('kind', 'in', ['diff', 'permission'])
    .where('status', 'in', ['answered', 'consumed'])
    .execute()
  return withVotes(db, rows)
}

const anyAsk = prepare<{ id: AskId }>()((db, slots) => db.selectFrom('asks').selectAll().where('id', '=', slots.id))

export async function getAsk(db: Executor, viewer: Viewer, id: AskId): Promise<Ask | undefined> {
  if (viewer.sees === 'all') return (await withVotes(db, await anyAsk(db, { id })))[0]
  const rows = await db
    .selectFrom('asks')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => visibleAsks(eb, viewer))
    .execute()
  return (await withVotes(db, rows))[0]
}

async function votesOn(db: Executor, asks: readonly Pick<Tables['asks'], 'id' | 'needed'>[]) {
  const shared = asks.filter(({ needed }) => needed > 1).map(({ id }) => id)
  if (shared.length === 0) return []
  return db.selectFrom('ask_votes').selectAll().where('ask_id', 'in', shared).orderBy('at').execute()
}

const isDangerous = (subject: AskSubject | null): boolean => subject?.kind === 'terminal_prompt' && subject.dangerous

async function withVotes(db: Executor, rows: Tables['asks'][]): Promise<Ask[]> {
  const votes = Map.groupBy(await votesOn(db, rows), (vote) => vote.ask_id)
  const roots = await rootsOf(db, rows)
  const asked = await circlesOfGroups(db, [...new Set(rows.flatMap((row) => row.agent_group_id ?? []))])
  return rows.map((row) => ({
    id: row.id,
    sessionId: row.session_id,
    kind: row.kind,
    origin: row.origin,
    title: row.title,
    description: row.description,
    riskLevel: row.risk_level,
    claimedRisk: row.claimed_risk,
    judgedRisk: row.judged_risk,
    riskReasons: reasonsColumn(row.risk_reasons),
    status: row.status,
    subject: subjectColumn(row.subject),
    needed: row.needed,
    votes: (votes.get(row.id) ?? []).map((vote) => ({ userId: vote.user_id, outcome: vote.outcome, at: vote.at })),
    answer: answerColumn(row.answer),
    answeredBy: row.answered_by,
    answeredAt: row.answered_at,
    automatic: row.automatic !== 0,
    answerers: answerersNow(row, asked),
    reason: row.reason,
    result: resultColumn(row.result),
    undoneAt: row.undone_at,
    retractedAt: row.retracted_at,
    approvedBy: row.approved_by,
    slackTs: row.slack_ts,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    consumedAt: row.consumed_at,
    subjectHash: row.subject_hash,
    ...coverOf(row, roots),
    agentGroupId: row.agent_group_id,
    requestedBy: row.requested_by,
    circle: circleOf(row),
  }))
}

/** Workspaces of the sessions of open asks. */
async function rootsOf(db: Executor, rows: readonly Tables['asks'][]): Promise<ReadonlyMap<SessionId, string>> {
  const ids = rows.flatMap(({ status, session_id }) => (status === 'open' && session_id !== null ? [session_id] : []))
  if (ids.length === 0) return new Map()
  const found = await db.selectFrom('sessions').select(['id', 'workspace_root']).where('id', 'in', ids).execute()
  return new Map(found.map((row) => [row.id, row.workspace_root]))
}

function coverOf(row: Tables['asks'], roots: ReadonlyMap<SessionId, string>): { sessionAllowance?: string } {
  const workspaceRoot = row.session_id === null ? undefined : roots.get(row.session_id)
  if (row.status !== 'open' || workspaceRoot === undefined || row.needed > 1 || row.risk_level === 'critical') return {}
  const covered = allowableOf(subjectColumn(row.subject), { workspaceRoot })
  return covered ? { sessionAllowance: covered.what } : {}
}

const circleOf = ({ circle }: Tables['asks']): Circle | null => (circle === null ? null : (circles[circle] ?? null))

/** Administrators are asked by their role, so the list is as they are now; who really may answer is decided with the answer. */
function answerersNow(row: Tables['asks'], asked: ReadonlyMap<AgentGroupId, Circles>): UserId[] | null {
  const circle = circleOf(row)
  const people = row.agent_group_id === null ? undefined : asked.get(row.agent_group_id)
  if (circle === null || !people) return answerersColumn(row.answerers)
  return peopleUpTo(people, circle, null, false)
}

/** Finds an ask by the id an agent was given, if it belongs to its session or its lineage. */
export async function askOfSessions(
  db: Executor,
  id: string,
  sessions: readonly SessionId[],
): Promise<{ id: AskId; kind: AskKind } | null> {
  const row = await db
    .selectFrom('asks')
    .select(['id', 'kind'])
    .where(sql<boolean>`id = ${id}`)
    .where('session_id', 'in', sessions)
    .executeTakeFirst()
  return row ?? null
}

/** Changes of files that this node is applying, or did not finish applying. What administrators approve is not its to finish. */
export async function asksBeingApplied(db: Executor, node: string): Promise<AskId[]> {
  const rows = await db
    .selectFrom('asks')
    .select('id')
    .where('kind', '=', 'diff')
    .where('status', '=', 'applying')
    .where('applying_on', '=', node)
    .execute()
  return rows.map(({ id }) => id)
}
