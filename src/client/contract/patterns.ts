import * as z from 'zod'
import { patternRuleStatuses } from '../../domain/pattern/status.ts'
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
  q: words.optional().meta({ description: 'Text of the question or of the answer.' }),
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
    params: () => z.object({ id: PatternRuleId }),
    response: PatternRule,
  })

export const patternEndpoints = {
  listPatterns: endpoint({
    method: 'GET',
    path: '/api/patterns',
    tag,
    summary: 'Questions that programs asked you and what you answered, newest first',
    status: 200,
    query: () =>
      z.strictObject({
        q: words.optional().meta({ description: 'Text of the question.' }),
        program: z.string().max(1024).optional(),
        limit: limit(500, 100),
        offset: count(0, 1_000_000_000, 0),
        before: PageCursor.optional(),
      }),
    response: () =>
      z.object({
        patterns: z.array(Pattern),
        total: z.int(),
        limit: z.int(),
        offset: z.int(),
        next: PageCursor.nullable(),
      }),
  }),
  exportPatterns: endpoint({
    method: 'GET',
    path: '/api/patterns/export',
    tag,
    summary: 'All your patterns, in the format that import reads',
    status: 200,
    response: PatternExport,
  }),
  importPatterns: endpoint({
    method: 'POST',
    path: '/api/patterns/import',
    tag,
    summary: 'Import patterns from an export; each replaces the one for the same question, and any fault refuses all',
    status: 200,
    body: () => z.looseObject({}).meta({ description: 'An export, or an object with only `patterns`.' }),
    response: () => z.object({ imported: z.int() }),
  }),
  inferInput: endpoint({
    method: 'POST',
    path: '/api/patterns/infer',
    tag,
    summary: 'What you would probably answer, based on your earlier answers',
    status: 200,
    body: () =>
      z.strictObject({
        promptText: z.string().min(1).max(longestPrompt),
        sessionId: SessionId.optional().meta({ description: 'Its repo or workspace.' }),
        program: z.string().max(1024).optional(),
        host: z.string().max(1024).optional().meta({ description: "Empty: the server's machine." }),
      }),
    response: Inference,
  }),
  listProposals: endpoint({
    method: 'GET',
    path: '/api/patterns/proposals',
    tag,
    summary: 'Proposed automatic answers with their evidence and outcome, newest first',
    status: 200,
    query: () => z.strictObject({ status: listOf(patternRuleStatuses).optional() }),
    response: () => z.object({ proposals: z.array(PatternRule) }),
  }),
  confirmProposal: decide('confirm', 'Confirm a proposed automatic answer, which is typed from now on'),
  dismissProposal: decide('dismiss', 'Decline a proposed automatic answer; it is not proposed again for 30 days'),
  revokeProposal: decide('revoke', 'Ask again instead of using this rule'),
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
    summary: 'Forget what was learned about a question, and the rules made from it',
    status: 200,
    params: ById,
    response: Pattern,
  }),
  listInputs: endpoint({
    method: 'GET',
    path: '/api/inputs',
    tag,
    summary: 'What you typed at prompts in all sessions, newest first',
    status: 200,
    query: EventQuery,
    response: Events,
  }),
  sessionInputs: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/inputs',
    tag,
    summary: "What was typed at a session's prompts, newest first",
    status: 200,
    params: OfSession,
    query: EventQuery,
    response: Events,
  }),
  exportSessionInputs: endpoint({
    method: 'GET',
    path: '/api/sessions/{id}/inputs/export',
    tag,
    summary: 'The whole input history of a session, oldest first, in the export format',
    status: 200,
    params: OfSession,
    response: InputHistory,
  }),
}
