import { sql } from 'kysely'
import type { Executor, Tx } from '../../db/open.ts'
import { prepare } from '../../db/prepare.ts'
import type { Tables } from '../../db/tables.ts'
import type { AskChange } from './change.ts'
import type { AskState } from './state.ts'
import type { AskId } from './id.ts'
import { circles, type AskStatus } from './schema.ts'
import { anyJson, isListOf, isTaggedBy, isTextList, jsonColumn } from '../../lib/parse-json.ts'
import type { UserId } from '../user/id.ts'
import type { Answer } from './answer.ts'
import type { AskSubject } from './subject.ts'

/** Another command changed the ask first; the caller decides again. */
export class LostRace extends Error {
  constructor(id: AskId) {
    super(`ask ${id} changed meanwhile`)
  }
}

const byId = prepare<{ id: AskId }>()((db, slots) =>
  db
    .selectFrom('asks')
    .select([
      'id',
      'session_id',
      'status',
      'subject',
      'needed',
      'answer',
      'answered_by',
      'expires_at',
      'answerers',
      'undone_at',
      'retracted_at',
      'agent_group_id',
      'requested_by',
      'circle',
      'subject_hash',
      'risk_level',
    ])
    .where('id', '=', slots.id),
)

export const subjectColumn = jsonColumn('asks.subject', isTaggedBy<AskSubject>('kind'))
export const answerColumn = jsonColumn('asks.answer', isTaggedBy<Answer>('outcome'))
export const answerersColumn = jsonColumn(
  'asks.answerers',
  isListOf((value): value is UserId => typeof value === 'string'),
)
export const reasonsColumn = jsonColumn('asks.risk_reasons', isTextList)
export const resultColumn = jsonColumn('asks.result', anyJson)

export type LoadedAsk = AskState

export async function loadAsk(tx: Executor, id: AskId): Promise<LoadedAsk | undefined> {
  const row = (await byId(tx, { id }))[0]
  if (!row) return undefined
  const voters =
    row.needed > 1 ? await tx.selectFrom('ask_votes').select('user_id').where('ask_id', '=', id).execute() : []
  return {
    id: row.id,
    sessionId: row.session_id,
    status: row.status,
    subject: subjectColumn(row.subject),
    needed: row.needed,
    answer: answerColumn(row.answer),
    answeredBy: row.answered_by,
    voters: voters.map((vote) => vote.user_id),
    expiresAt: row.expires_at,
    answerers: answerersColumn(row.answerers),
    undone: row.undone_at !== null,
    retracted: row.retracted_at !== null,
    agentGroupId: row.agent_group_id,
    requestedBy: row.requested_by,
    circle: row.circle === null ? null : (circles[row.circle] ?? null),
    subjectHash: row.subject_hash,
    riskLevel: row.risk_level,
  }
}

const answer = prepare<{ id: AskId; answer: string; by: string; at: string; automatic: number }>()((db, slots) =>
  db
    .updateTable('asks')
    .set({
      status: 'answered',
      answer: slots.answer,
      answered_by: slots.by,
      answered_at: slots.at,
      automatic: slots.automatic,
    })
    .where('id', '=', slots.id)
    .where('status', '=', 'open')
    .returning('id'),
)

export async function projectAsk(tx: Tx, change: AskChange, at: string): Promise<void> {
  const { id } = change.data
  switch (change.type) {
    case 'ask.opened':
      await insertAsk(tx, change, at)
      return
    case 'ask.voted':
      await tx
        .insertInto('ask_votes')
        .values({ ask_id: id, user_id: change.data.by, outcome: change.data.outcome, at })
        .execute()
      return
    case 'ask.answered': {
      const { by, automatic } = change.data
      const won = await answer(tx, { id, answer: JSON.stringify(change.body), by, at, automatic: Number(automatic) })
      if (won.length !== 1) throw new LostRace(id)
      await forgetDeadline(tx, id)
      return
    }
    case 'ask.escalated': {
      const { circle, escalatesAt } = change.data
      await forgetEscalation(tx, { id })
      await move(tx, id, 'open', { circle: circles.indexOf(circle) as 0 | 1 | 2 })
      if (escalatesAt !== null) await insertDeadline(tx, { id, kind: 'ask_escalation', dueAt: escalatesAt })
      return
    }
    case 'ask.expired':
      return close(tx, id, 'open', { status: 'expired' })
    case 'ask.expiry_lifted':
      return close(tx, id, 'open', { expires_at: null })
    case 'ask.interrupted':
      return close(tx, id, 'open', { status: 'interrupted' })
    case 'ask.cancelled':
      return close(tx, id, 'open', { status: 'cancelled', reason: change.data.reason })
    case 'ask.claimed':
      return move(tx, id, 'answered', { status: 'applying', applying_on: change.body ?? null })
    case 'ask.released':
      return move(tx, id, 'applying', { status: 'answered', reason: change.data.reason })
    case 'ask.consumed':
      return move(tx, id, 'applying', {
        status: 'consumed',
        consumed_at: at,
        result: change.body === null ? null : JSON.stringify(change.body),
      })
    case 'ask.retracted': {
      const { by, approvedBy } = change.data
      return move(tx, id, 'answered', {
        answer: JSON.stringify(change.body),
        answered_by: by,
        answered_at: at,
        automatic: 0,
        approved_by: approvedBy,
        retracted_at: at,
      })
    }
    case 'ask.undone':
      await markUndone(tx, { id, at })
      return
    case 'ask.failed':
      return move(tx, id, 'applying', { status: 'failed', reason: change.data.reason })
    default:
      change satisfies never
  }
}

const markUndone = prepare<{ id: AskId; at: string }>()((db, slots) =>
  db.updateTable('asks').set({ undone_at: slots.at }).where('id', '=', slots.id).where('undone_at', 'is', null),
)

type AskUpdate = {
  status?: AskStatus
  reason?: string | null
  expires_at?: null
  consumed_at?: string
  result?: string | null
  applying_on?: string | null
  circle?: 0 | 1 | 2
  answer?: string
  answered_by?: string
  answered_at?: string
  automatic?: 0
  approved_by?: string | null
  retracted_at?: string
}

/** Compare-and-set: the ask must still have the status the decision was based on. A retracted one stays as it is. */
async function move(tx: Tx, id: AskId, from: AskStatus, set: AskUpdate): Promise<void> {
  const won = await tx
    .updateTable('asks')
    .set(set)
    .where('id', '=', id)
    .where('status', '=', from)
    .where('retracted_at', 'is', null)
    .returning('id')
    .execute()
  if (won.length !== 1) throw new LostRace(id)
}

async function close(tx: Tx, id: AskId, from: AskStatus, set: AskUpdate): Promise<void> {
  await move(tx, id, from, set)
  await forgetDeadline(tx, id)
}

const dropDeadline = prepare<{ id: string }>()((db, slots) =>
  db
    .deleteFrom('deadlines')
    .where('subject_id', '=', slots.id)
    .where('kind', 'in', [sql.lit('ask'), sql.lit('ask_escalation')]),
)
const forgetEscalation = prepare<{ id: string }>()((db, slots) =>
  db.deleteFrom('deadlines').where('subject_id', '=', slots.id).where('kind', '=', 'ask_escalation'),
)
const forgetDeadline = (tx: Tx, id: AskId) => dropDeadline(tx, { id })

type AskRow = Pick<
  Tables['asks'],
  | 'id'
  | 'session_id'
  | 'kind'
  | 'origin'
  | 'title'
  | 'description'
  | 'risk_level'
  | 'claimed_risk'
  | 'judged_risk'
  | 'risk_reasons'
  | 'subject'
  | 'needed'
  | 'answerers'
  | 'subject_hash'
  | 'agent_group_id'
  | 'requested_by'
  | 'circle'
> & { created_at: string; expires_at: string | null }

const insert = prepare<AskRow>()((db, slots) =>
  db.insertInto('asks').values({
    id: slots.id,
    session_id: slots.session_id,
    kind: slots.kind,
    origin: slots.origin,
    title: slots.title,
    description: slots.description,
    risk_level: slots.risk_level,
    claimed_risk: slots.claimed_risk,
    judged_risk: slots.judged_risk,
    risk_reasons: slots.risk_reasons,
    status: 'open',
    subject: slots.subject,
    needed: slots.needed,
    automatic: 0,
    answerers: slots.answerers,
    subject_hash: slots.subject_hash,
    agent_group_id: slots.agent_group_id,
    requested_by: slots.requested_by,
    circle: slots.circle,
    created_at: slots.created_at,
    expires_at: slots.expires_at,
  }),
)
const insertDeadline = prepare<{ id: AskId; kind: string; dueAt: string }>()((db, slots) =>
  db.insertInto('deadlines').values({ subject_id: slots.id, kind: slots.kind, due_at: slots.dueAt }),
)

async function insertAsk(tx: Tx, change: Extract<AskChange, { type: 'ask.opened' }>, at: string): Promise<void> {
  const ask = change.body
  const { expiresAt, alertAt, subjectHash } = change.data
  const { approvers } = ask
  const dueAt = expiresAt ?? alertAt
  await insert(tx, {
    id: ask.id,
    session_id: ask.sessionId,
    kind: ask.subject.kind,
    origin: ask.origin,
    title: ask.title,
    description: ask.description,
    risk_level: ask.riskLevel,
    claimed_risk: ask.claimedRisk,
    judged_risk: ask.judgedRisk,
    risk_reasons: JSON.stringify(ask.riskReasons),
    subject: JSON.stringify(ask.subject),
    needed: ask.needed,
    answerers: ask.answerers === null ? null : JSON.stringify(ask.answerers),
    subject_hash: subjectHash,
    agent_group_id: approvers?.agentGroupId ?? null,
    requested_by: approvers?.requester ?? null,
    circle: approvers ? (circles.indexOf(approvers.circle) as 0 | 1 | 2) : null,
    created_at: at,
    expires_at: expiresAt,
  })
  if (dueAt !== undefined && dueAt !== null) await insertDeadline(tx, { id: ask.id, kind: 'ask', dueAt })
  const escalatesAt = approvers?.escalatesAt ?? null
  if (escalatesAt !== null) await insertDeadline(tx, { id: ask.id, kind: 'ask_escalation', dueAt: escalatesAt })
}

/** Where its card is in Slack; the first one counts. */
export async function noteAskInSlack(tx: Tx, id: AskId, ts: string): Promise<void> {
  await tx.updateTable('asks').set({ slack_ts: ts }).where('id', '=', id).where('slack_ts', 'is', null).execute()
}
