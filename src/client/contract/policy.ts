import * as z from 'zod'
import { ruleStatuses } from '../../domain/policy/status.ts'
import { PolicyInForce, PolicyReplay, PolicyRule, Rule, RuleId } from '../../domain/policy/schema.ts'
import { SessionId } from '../../domain/session/schema.ts'
import { endpoint } from '../endpoint.ts'
import { listOf, time } from './parts.ts'

const ById = z.object({ id: RuleId })
const root = z.string().min(1).max(4096).startsWith('/', 'must be an absolute path')
const Place = {
  workspaceRoot: root.optional().meta({ description: 'For admins, and for people with asks there.' }),
  sessionId: SessionId.optional().meta({ description: "Alternative: that session's workspace." }),
}

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')

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
    summary: 'The policy of a workspace: the file, its errors, entries without effect, confirmed rules',
    status: 200,
    query: () => z.strictObject(Place),
    response: PolicyInForce,
  }),
  writePolicy: endpoint({
    method: 'PUT',
    path: '/api/policy',
    tag: 'policy',
    summary: 'Write the policy file of a workspace, if it is still the one you read (admins only)',
    status: 200,
    body: () =>
      z.strictObject({
        ...Place,
        settings: z
          .string()
          .max(1024 * 1024)
          .meta({ description: 'The whole file as text.' }),
        expected: Hash.nullable().meta({ description: '`hash` of the file it replaces; null if there was none.' }),
      }),
    response: PolicyInForce,
  }),
  confirmPolicy: endpoint({
    method: 'POST',
    path: '/api/policy/confirm',
    tag: 'policy',
    summary:
      'Accept a policy file that was widened while an agent was working, if it is still the one you saw (admins only)',
    status: 200,
    body: () => z.strictObject({ ...Place, hash: Hash.meta({ description: '`pending.hash` of the policy.' }) }),
    response: PolicyInForce,
  }),
  trustPolicy: endpoint({
    method: 'POST',
    path: '/api/policy/trust',
    tag: 'policy',
    summary: 'Trust a workspace, so that its policy applies there (admins only)',
    status: 200,
    body: () =>
      z.strictObject({
        ...Place,
        hash: Hash.nullable().optional().meta({
          description:
            'The hash of the policy you reviewed: exactly that text applies at once. Without it, the policy is treated as newly seen.',
        }),
      }),
    response: PolicyInForce,
  }),
  untrustPolicy: endpoint({
    method: 'POST',
    path: '/api/policy/untrust',
    tag: 'policy',
    summary: 'Stop trusting a workspace, so that everything is asked there again (admins only)',
    status: 200,
    body: () => z.strictObject(Place),
    response: PolicyInForce,
  }),
  listTrusted: endpoint({
    method: 'GET',
    path: '/api/policy/trusted',
    tag: 'policy',
    summary: 'Workspaces that an admin trusted, besides repos and those in config.toml (admins only)',
    status: 200,
    response: () =>
      z.object({
        workspaces: z.array(
          z.object({ workspaceRoot: z.string(), trustedBy: z.string(), trustedAt: z.iso.datetime() }),
        ),
      }),
  }),
  testPolicy: endpoint({
    method: 'POST',
    path: '/api/policy/test',
    tag: 'policy',
    summary: 'What a policy would have answered to past asks, and where people answered differently',
    status: 200,
    body: () =>
      z.strictObject({
        ...Place,
        settings: z
          .string()
          .max(1024 * 1024)
          .optional()
          .meta({ description: 'A policy file as text. Default: the one in force.' }),
        rules: z
          .array(Rule)
          .max(100)
          .default([])
          .meta({ description: 'What only these rules would have answered, instead of a file.' }),
        since: time.optional(),
      }),
    response: PolicyReplay,
  }),
  listRules: endpoint({
    method: 'GET',
    path: '/api/policy/rules',
    tag: 'policy',
    summary: 'Rules that people proposed with "always" or that were learned, newest first',
    status: 200,
    query: () => z.strictObject({ workspaceRoot: root.optional(), status: listOf(ruleStatuses).optional() }),
    response: () => z.object({ rules: z.array(PolicyRule) }),
  }),
  addRule: endpoint({
    method: 'POST',
    path: '/api/policy/rules',
    tag: 'policy',
    summary: 'Make a rule that is in force at once: one command, one file or one tool (admins only)',
    status: 201,
    body: () => z.strictObject({ ...Place, rule: Rule }),
    response: PolicyRule,
  }),
  confirmRule: decide('confirm', 'Confirm a proposed rule'),
  dismissRule: decide('dismiss', 'Decline a proposed rule'),
  revokeRule: decide('revoke', 'Revoke a rule, so that people are asked again'),
}
