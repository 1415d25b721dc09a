import * as z from 'zod'
import {
  Inference,
  InputEvent,
  InputHistory,
  longestPrompt,
  Pattern,
  PatternExport,
  PatternId,
  PatternRule,
  PatternRuleId,
  patternRuleStatuses,
} from '../../domain/pattern/schema.ts'
import { SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { count, limit, listOf, PageCursor, time } from './parts.ts'

const tag = 'patterns'
const ById = z.object({ id: PatternId })
const OfSession = z.object({ id: SessionId })
const words = z.string().min(1).max(1000)

const Events = z.object({ events: z.array(InputEvent), next: PageCursor.nullable() })
const EventQuery = z.strictObject({
  q: words.optional().meta({ description: 'Words of the question or of the answer.' }),
  since: time.optional(),
  until: time.optional(),
  limit: limit(500, 100),
  before: PageCursor.optional(),
})

const decide = <V extends 'confirm' | 'dismiss' | 'revoke'>(verb: V, summary: string) =>
  endpoint({
    method: 'POST',
    path: `/api/patterns/proposals/{id}/${verb}`,
    tag,
    summary,
    status: 200,
    params: z.object({ id: PatternRuleId }),
    response: PatternRule,
  })

export const patternEndpoints = {
  listPatterns: endpoint({
    method: 'GET',
    path: '/api/patterns',
    tag,
    summary: 'Questions that programs asked you before and what you answered, the latest first',
    status: 200,
    query: z.strictObject({
      q: words.optional().meta({ description: 'Words of the question.' }),
      program: z.string().max(1024).optional(),
      limit: limit(500, 100),
      offset: count(0, 1_000_000_000, 0),
    }),
    response: z.object({ patterns: z.array(Pattern), total: z.int(), limit: z.int(), offset: z.int() }),
  }),
  exportPatterns: endpoint({
    method: 'GET',
    path: '/api/patterns/export',
    tag,
    summary: 'All of your patterns in the layout they are imported from',
    status: 200,
    response: PatternExport,
  }),
  importPatterns: endpoint({
    method: 'POST',
    path: '/api/patterns/import',
    tag,
    summary: 'Take patterns from an export; each replaces the one of the same question, and any fault refuses all',
    status: 200,
    body: z.looseObject({}).meta({ description: 'An export, or an object with `patterns` alone.' }),
    response: z.object({ imported: z.int() }),
  }),
  inferInput: endpoint({
    method: 'POST',
    path: '/api/patterns/infer',
    tag,
    summary: 'What you would be expected to answer, by what you answered before',
    status: 200,
    body: z.strictObject({
      promptText: z.string().min(1).max(longestPrompt),
      sessionId: SessionId.optional().meta({ description: 'Where it is asked: its repo or workspace.' }),
      program: z.string().max(1024).optional(),
      host: z.string().max(1024).optional().meta({ description: 'Empty: the machine of the server.' }),
    }),
    response: Inference,
  }),
  listProposals: endpoint({
    method: 'GET',
    path: '/api/patterns/proposals',
    tag,
    summary: 'Answers that could be typed automatically, with the evidence, and what became of them; newest first',
    status: 200,
    query: z.strictObject({ status: listOf(patternRuleStatuses).optional() }),
    response: z.object({ proposals: z.array(PatternRule) }),
  }),
  confirmProposal: decide('confirm', 'Type this answer automatically from now on'),
  dismissProposal: decide('dismiss', 'Turn a proposal down; it is not made again for 30 days'),
  revokeProposal: decide('revoke', 'Be asked again'),
  getPattern: endpoint({
    method: 'GET',
    path: '/api/patterns/{id}',
    tag,
    summary: 'One question and its answers',
    status: 200,
    params: ById,
    response: Pattern,
  }),
  forgetPattern: endpoint({
    method: 'DELETE',
    path: '/api/patterns/{id}',
    tag,
    summary: 'Forget what was learned of a question, and rules made of it',
    status: 200,
    params: ById,
    response: Pattern,
  }),
  listInputs: endpoint({
    method: 'GET',
    path: '/api/inputs',
    tag,
    summary: 'What you typed at prompts, in all sessions, newest first',
    status: 200,
    query: EventQuery,
    response: Events,
  }),
  sessionInputs: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/inputs',
    tag,
    summary: 'What was typed at the prompts of a session, newest first',
    status: 200,
    params: OfSession,
    query: EventQuery,
    response: Events,
  }),
  exportSessionInputs: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/inputs/export',
    tag,
    summary: 'The whole input history of a session, oldest first, in the layout of an export',
    status: 200,
    params: OfSession,
    response: InputHistory,
  }),
}
