import * as z from 'zod'
import { PolicyInForce, PolicyReplay, PolicyRule, RuleId, ruleStatuses } from '../../domain/policy/schema.ts'
import { SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { listOf, time } from './parts.ts'

const ById = z.object({ id: RuleId })
const root = z.string().min(1).max(4096).startsWith('/', 'must be an absolute path')
const Place = {
  workspaceRoot: root.optional().meta({ description: 'For admins, and for people with asks there.' }),
  sessionId: SessionId.optional().meta({ description: "Instead: that session's workspace." }),
}

const decide = <V extends 'confirm' | 'dismiss' | 'revoke'>(verb: V, summary: string) =>
  endpoint({
    method: 'POST',
    path: `/api/policy/rules/{id}/${verb}`,
    tag: 'policy',
    summary,
    status: 200,
    params: ById,
    response: PolicyRule,
  })

export const policyEndpoints = {
  getPolicy: endpoint({
    method: 'GET',
    path: '/api/policy',
    tag: 'policy',
    summary: 'What is in force in a workspace: the file, its faults, entries that can answer nothing, confirmed rules',
    status: 200,
    query: z.strictObject(Place),
    response: PolicyInForce,
  }),
  writePolicy: endpoint({
    method: 'PUT',
    path: '/api/policy',
    tag: 'policy',
    summary: 'Write the policy file of a workspace, if it is still the one you looked at; for admins',
    status: 200,
    body: z.strictObject({
      ...Place,
      settings: z
        .string()
        .max(1024 * 1024)
        .meta({ description: 'The whole file as text.' }),
      expected: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')
        .nullable()
        .meta({ description: '`hash` of the file it replaces; null where there was none.' }),
    }),
    response: PolicyInForce,
  }),
  testPolicy: endpoint({
    method: 'POST',
    path: '/api/policy/test',
    tag: 'policy',
    summary: 'What a policy would have said to past asks, and where people said something else',
    status: 200,
    body: z.strictObject({
      ...Place,
      settings: z
        .string()
        .max(1024 * 1024)
        .optional()
        .meta({ description: 'A policy file as text; without it the one in force.' }),
      since: time.optional(),
    }),
    response: PolicyReplay,
  }),
  listRules: endpoint({
    method: 'GET',
    path: '/api/policy/rules',
    tag: 'policy',
    summary: 'Rules that people proposed by "always" or that were learned, newest first',
    status: 200,
    query: z.strictObject({ workspaceRoot: root.optional(), status: listOf(ruleStatuses).optional() }),
    response: z.object({ rules: z.array(PolicyRule) }),
  }),
  confirmRule: decide('confirm', 'Let a proposed rule answer from now on'),
  dismissRule: decide('dismiss', 'Turn a proposed rule down'),
  revokeRule: decide('revoke', 'Have people asked again'),
}
