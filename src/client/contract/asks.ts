import * as z from 'zod'
import { Answer } from '../../domain/ask/answer.ts'
import { Ask, AskId, RiskLevel, askStatuses } from '../../domain/ask/schema.ts'
import { askKinds } from '../../domain/ask/kinds.ts'
import { AskSubject, type AskKind } from '../../domain/ask/subject.ts'
import { SessionId } from '../../domain/session/schema.ts'
import { AgentGroupId, UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'
import { PageCursor, count, limit, listOf } from './parts.ts'

const ById = z.object({ id: AskId })
// A union has at least one member.
const askKindNames = askKinds as unknown as readonly [AskKind, ...AskKind[]]

export const askEndpoints = {
  listAsks: endpoint({
    method: 'GET',
    path: '/api/asks',
    tag: 'asks',
    summary: 'Asks that you can see, newest first',
    status: 200,
    query: () =>
      z.strictObject({
        status: listOf(askStatuses).optional(),
        sessionId: SessionId.optional(),
        kind: listOf(askKindNames).optional(),
        agentGroupId: AgentGroupId.optional().meta({ description: 'Administrative asks about this agent group.' }),
        order: z.enum(['asked', 'answered']).default('asked').meta({
          description:
            'Newest first by when they were asked, or by when they were answered: then only those with an answer.',
        }),
        answeredBy: UserId.optional().meta({ description: 'Answered by this person, alone or with others.' }),
        automatic: z
          .enum(['true', 'false'])
          .transform((word) => word === 'true')
          .optional()
          .meta({ description: 'Answered by a rule (`true`) or by people (`false`).', type: 'string' }),
        limit: limit(100, 20),
        before: PageCursor.optional(),
      }),
    response: () => z.object({ asks: z.array(Ask), next: PageCursor.nullable() }),
  }),
  openAsk: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/asks',
    tag: 'asks',
    summary: 'Ask for a decision (for agents that use plain HTTP)',
    status: 201,
    params: () => z.object({ id: SessionId }),
    body: () =>
      z.strictObject({
        id: AskId.optional(),
        origin: z.enum(['api', 'ask_approval']).default('api'),
        title: z.string().min(1).max(1000),
        description: z.string().max(100_000).optional(),
        riskLevel: RiskLevel.default('low'),
        subject: AskSubject,
        needed: z.int().min(1).max(10).default(1),
        answerers: z.array(UserId).min(1).max(100).optional(),
        timeoutSeconds: z.int().min(0).max(31_536_000).optional(),
      }),
    response: Ask,
  }),
  getAsk: endpoint({
    method: 'GET',
    path: '/api/asks/{id}',
    tag: 'asks',
    summary: 'One ask; with `wait`, responds when it is no longer open, or when the time is up',
    status: 200,
    params: ById,
    query: () => z.strictObject({ wait: count(0, 60, 0) }),
    response: Ask,
  }),
  answerAsk: endpoint({
    method: 'POST',
    path: '/api/asks/{id}/answer',
    tag: 'asks',
    summary: 'Answer an ask (first answer wins; later callers learn who answered)',
    status: 200,
    params: ById,
    body: Answer,
    response: Ask,
  }),
  undoAsk: endpoint({
    method: 'POST',
    path: '/api/asks/{id}/undo',
    tag: 'asks',
    summary: 'Undo the changes of an approval, if the files have not changed since',
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        force: z.boolean().default(false).meta({
          description: 'Restore the files even if they changed since; the current ones are kept beside them.',
        }),
        check: z.boolean().default(false).meta({
          description: 'Change nothing: answer what an undo would restore, and in `problem` why it would fail.',
        }),
      }),
    response: () =>
      z.object({
        ask: Ask,
        restored: z.array(z.object({ path: z.string(), outcome: z.enum(['restored', 'removed']) })),
        problem: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .meta({ description: 'Only with `check`: why an undo would fail.' }),
      }),
  }),
  retractAsk: endpoint({
    method: 'POST',
    path: '/api/asks/{id}/retract',
    tag: 'asks',
    summary: 'Retract an approval that has not been used yet; it becomes a rejection',
    status: 200,
    params: ById,
    body: () => z.strictObject({ reason: z.string().max(2000).nullable().default(null) }),
    response: Ask,
  }),
  cancelAsk: endpoint({
    method: 'POST',
    path: '/api/asks/{id}/cancel',
    tag: 'asks',
    summary: 'Withdraw an open ask',
    status: 200,
    params: ById,
    body: () => z.strictObject({ reason: z.string().max(2000).nullable().default(null) }),
    response: Ask,
  }),
}
