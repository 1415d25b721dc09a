import * as z from 'zod'
import { AskId } from '../ask/id.ts'
import type { DataOf } from '../slice/events.ts'
import { RuleId } from './id.ts'
import { ruleStatuses } from './status.ts'

export { RuleId }

export const PolicyFile = z
  .object({
    enabled: z.boolean(),
    commands: z.array(z.string()),
    tools: z.array(z.string()),
    filePatterns: z.object({ write: z.array(z.string()), read: z.array(z.string()) }),
    riskLevelThreshold: z.enum(['low', 'high']),
    logAutoApproved: z.boolean(),
    summaryIntervalSeconds: z.int(),
  })
  .meta({ id: 'PolicyFile' })
export type PolicyFile = z.infer<typeof PolicyFile>

/** A fault in a policy file; any fault turns the whole file off. */
export const PolicyFault = z.object({ line: z.int().nullable(), key: z.string(), message: z.string() })
export type PolicyFault = z.infer<typeof PolicyFault>

/** An entry that can never answer anything, and why. */
export const IgnoredEntry = z.object({ entry: z.string(), why: z.string() })
export type IgnoredEntry = z.infer<typeof IgnoredEntry>

export const RuleKind = z.enum(['command', 'tool', 'write', 'read'])
export type RuleKind = z.infer<typeof RuleKind>

/** What a rule allows: the exact words of a command, a tool by name, a file by path. */
export const Rule = z.object({ kind: RuleKind, pattern: z.string().min(1).max(8192) })
export type Rule = z.infer<typeof Rule>

export const RuleStatus = z.enum(ruleStatuses)
export type RuleStatus = z.infer<typeof RuleStatus>

export const PolicyRule = z
  .object({
    id: RuleId,
    workspaceRoot: z.string(),
    rule: Rule,
    status: RuleStatus,
    askId: AskId.nullable().meta({ description: 'The ask that led to it.' }),
    evidence: z.int().meta({ description: 'How often people approved the same thing.' }),
    proposedBy: z.string(),
    decidedBy: z.string().nullable(),
    createdAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PolicyRule' })
export type PolicyRule = z.infer<typeof PolicyRule>

const workspaceRoot = z.string().min(1).max(4096)
const text = z.string().max(2 * 1024 * 1024)
const about = <T extends string>(type: T) => z.object({ type: z.literal(type), id: RuleId })

export const PolicyCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('policy.propose'),
    id: RuleId,
    workspaceRoot,
    rule: Rule,
    askId: AskId.nullable().default(null),
    evidence: z.int().min(1).default(1),
    /** user:<id> if a person said "always"; system:<part> if it was learned. */
    proposedBy: z.string().min(1).max(200),
  }),
  /** A person wrote the file of a workspace through Signalbox, or reviewed it and accepted it. */
  z.object({ type: z.literal('policy.note_written'), id: RuleId, workspaceRoot, settings: text }),
  z.object({ type: z.literal('policy.accept'), id: RuleId, workspaceRoot, settings: text.nullable() }),
  /** The current file, read by Signalbox itself; null if there is none. */
  z.object({ type: z.literal('policy.observe'), id: RuleId, workspaceRoot, settings: text.nullable() }),
  /** A person vouches for a workspace, and for the policy that they saw there. */
  z.object({
    type: z.literal('policy.trust'),
    id: RuleId,
    workspaceRoot,
    settings: text.nullable().optional(),
  }),
  z.object({ type: z.literal('policy.untrust'), id: RuleId, workspaceRoot }),
  /** A person makes a rule themselves; it is in force at once. */
  z.object({ type: z.literal('policy.add'), id: RuleId, workspaceRoot, rule: Rule }),
  about('policy.confirm'),
  about('policy.dismiss'),
  about('policy.revoke'),
])
export type PolicyCommand = z.infer<typeof PolicyCommand>

const ref = { id: RuleId, workspaceRoot: z.string() }

/** Events of policies in the log. */
export const policyEvents = {
  'policy.proposed': () =>
    z.object({
      ...ref,
      kind: RuleKind,
      patternHash: z.string(),
      askId: AskId.nullable(),
      evidence: z.int(),
      by: z.string(),
    }),
  'policy.written': () => z.object({ ...ref, hash: z.string(), by: z.string() }),
  'policy.accepted': () => z.object({ ...ref, hash: z.string(), by: z.string() }),
  /** It is in force, and is the new baseline. */
  'policy.noted': () => z.object({ ...ref, hash: z.string() }),
  /** It grew wider while an agent was running, and waits for a person. */
  'policy.held': () => z.object({ ...ref, hash: z.string() }),
  'policy.trusted': () => z.object({ ...ref, by: z.string() }),
  'policy.untrusted': () => z.object({ ...ref, by: z.string() }),
  'policy.confirmed': () => z.object({ ...ref, by: z.string() }),
  'policy.dismissed': () => z.object({ ...ref, by: z.string() }),
  'policy.revoked': () => z.object({ ...ref, by: z.string() }),
}
type Data = DataOf<typeof policyEvents>

export type PolicyChange =
  | { type: 'policy.proposed'; data: Data['policy.proposed']; body: Rule }
  | { type: 'policy.written'; data: Data['policy.written']; body: string }
  | { type: 'policy.accepted'; data: Data['policy.accepted']; body: string | null }
  | { type: 'policy.noted'; data: Data['policy.noted']; body: string | null }
  | { type: 'policy.held'; data: Data['policy.held'] }
  | { type: 'policy.trusted'; data: Data['policy.trusted'] }
  | { type: 'policy.untrusted'; data: Data['policy.untrusted'] }
  | { type: 'policy.confirmed'; data: Data['policy.confirmed'] }
  | { type: 'policy.dismissed'; data: Data['policy.dismissed'] }
  | { type: 'policy.revoked'; data: Data['policy.revoked'] }

export const PolicyTrust = z
  .object({
    kind: z.enum(['config', 'repo', 'worktree', 'person']).meta({
      description: 'Named in config.toml, a registered repo, a worktree of one, or trusted by a person.',
    }),
    by: z.string().nullable(),
    at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PolicyTrust' })
export type PolicyTrust = z.infer<typeof PolicyTrust>

/** What is in force in a workspace. */
export const PolicyInForce = z
  .object({
    workspaceRoot: z.string(),
    path: z.string().nullable().meta({ description: 'The file, or null if there is none.' }),
    file: PolicyFile.nullable().meta({ description: 'Null if there is none, or if it has faults.' }),
    faults: z.array(PolicyFault),
    ignored: z.array(IgnoredEntry),
    rules: z.array(Rule).meta({ description: 'Confirmed rules that apply here in addition to the file.' }),
    settings: z.string().nullable().meta({ description: "The file's text; null if it can't be read." }),
    hash: z.string().nullable().meta({ description: 'SHA-256 of the file, to send when you change it.' }),
    trust: PolicyTrust.nullable().meta({
      description: 'Who trusted the workspace. Null if nobody did: nothing is automatic there.',
    }),
    pending: z
      .object({
        hash: z.string().meta({ description: 'Hash of the text that waits; exactly that text is confirmed.' }),
        since: z.iso.datetime().nullable(),
        wider: z.array(z.string()).meta({ description: 'What it allows that the policy in force does not.' }),
        inForce: PolicyFile.nullable().meta({ description: 'What applies meanwhile: what both allow.' }),
      })
      .nullable()
      .meta({ description: 'The file was widened while an agent was working, and is waiting for an admin.' }),
  })
  .meta({ id: 'PolicyInForce' })
export type PolicyInForce = z.infer<typeof PolicyInForce>

/** How a policy would have answered past asks. */
export const PolicyReplay = z
  .object({
    asks: z.int().meta({ description: 'Past asks of kinds that a policy can answer.' }),
    answered: z.int().meta({ description: 'Those it would have answered.' }),
    same: z.int().meta({ description: 'Those of them that people approved too.' }),
    wouldAsk: z.int().meta({ description: 'Those that a policy answered then, but this one would not.' }),
    differ: z.array(
      z.object({
        askId: AskId,
        title: z.string(),
        kind: z.string(),
        rule: z.string(),
        chose: z.string(),
        by: z.string(),
        at: z.iso.datetime().nullable(),
      }),
    ),
    rules: z.array(z.object({ rule: z.string(), answered: z.int(), differ: z.int() })),
    ignored: z.array(IgnoredEntry),
  })
  .meta({ id: 'PolicyReplay' })
export type PolicyReplay = z.infer<typeof PolicyReplay>
