import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { whyNoRule } from './propose.ts'
import { decideObservation, hashOf, type PolicyObservation } from './baseline.ts'
import type { PolicyChange, PolicyCommand, PolicyRule, RuleStatus } from './schema.ts'

const fileCommands = [
  'policy.note_written',
  'policy.accept',
  'policy.trust',
  'policy.untrust',
  'policy.observe',
] as const
export type FileCommand = Extract<PolicyCommand, { type: (typeof fileCommands)[number] }>
export type RuleCommand = Exclude<PolicyCommand, FileCommand>
export const isFileCommand = (command: PolicyCommand): command is FileCommand =>
  fileCommands.some((type) => type === command.type)

/** Commands of people about the policy file of a workspace, and what Signalbox observed there. */
export function decidePolicyFile(
  command: FileCommand,
  seen: PolicyObservation,
  isTrusted: boolean,
  by: string,
): Result<PolicyChange[]> {
  const { id, workspaceRoot } = command
  switch (command.type) {
    case 'policy.note_written': {
      const { settings } = command
      return ok([{ type: 'policy.written', data: { id, workspaceRoot, hash: sha256(settings), by }, body: settings }])
    }
    case 'policy.accept':
      return ok([accepted(command.settings)])
    case 'policy.trust': {
      const trusted: PolicyChange = { type: 'policy.trusted', data: { id, workspaceRoot, by } }
      return ok(command.settings === undefined ? [trusted] : [trusted, accepted(command.settings)])
    }
    case 'policy.untrust':
      return isTrusted ? ok([{ type: 'policy.untrusted', data: { id, workspaceRoot, by } }]) : notTrusted(workspaceRoot)
    case 'policy.observe':
      return decideObservation(command, seen)
    default:
      return command satisfies never
  }

  function accepted(settings: string | null): PolicyChange {
    return { type: 'policy.accepted', data: { id, workspaceRoot, hash: hashOf(settings), by }, body: settings }
  }
}

const notTrusted = (workspaceRoot: string): Failed =>
  fail({
    kind: 'not_found',
    code: 'not_trusted',
    message: `${workspaceRoot} was not trusted by name.`,
    hint: 'Registered repos and workspaces in config.toml are always trusted; remove them there.',
  })

/** `same`: the rules of this workspace with the same text, in any status. */
export function decidePolicy(
  found: PolicyRule | undefined,
  same: readonly PolicyRule[],
  command: RuleCommand,
  by: string,
): Result<PolicyChange[]> {
  if (command.type === 'policy.propose') return propose(found, same, command)
  if (command.type === 'policy.add') return add(found, same, command, by)
  if (!found) return notFound('rule', command.id)
  const data = { id: found.id, workspaceRoot: found.workspaceRoot, by }
  switch (command.type) {
    case 'policy.confirm':
      return found.status === 'proposed' ? ok([{ type: 'policy.confirmed', data }]) : alreadyDecided(found)
    case 'policy.dismiss':
      return found.status === 'proposed' ? ok([{ type: 'policy.dismissed', data }]) : alreadyDecided(found)
    case 'policy.revoke':
      return found.status === 'confirmed' ? ok([{ type: 'policy.revoked', data }]) : alreadyDecided(found)
    default:
      return command satisfies never
  }
}

function propose(
  found: PolicyRule | undefined,
  same: readonly PolicyRule[],
  command: Extract<PolicyCommand, { type: 'policy.propose' }>,
): Result<PolicyChange[]> {
  if (found) return fail({ kind: 'conflict', code: 'rule_exists', message: `Rule ${command.id} already exists.` })
  const isThere = (status: RuleStatus) => same.find((rule) => rule.status === status)
  if (isThere('confirmed')) return ok([])
  // A rejected rule is not learned again automatically; a person may ask for it again.
  const turnedDown = isThere('dismissed') ?? isThere('revoked')
  if (turnedDown && !command.proposedBy.startsWith('user:')) return ok([])
  const waiting = isThere('proposed')
  const { workspaceRoot, rule, askId, proposedBy } = command
  const evidence = waiting ? Math.max(waiting.evidence + 1, command.evidence) : command.evidence
  const data = {
    id: waiting?.id ?? command.id,
    workspaceRoot,
    kind: rule.kind,
    patternHash: sha256(rule.pattern),
    askId,
    evidence,
    by: waiting?.proposedBy ?? proposedBy,
  }
  return ok([{ type: 'policy.proposed', data, body: rule }])
}

function add(
  found: PolicyRule | undefined,
  same: readonly PolicyRule[],
  { id, workspaceRoot, rule }: Extract<PolicyCommand, { type: 'policy.add' }>,
  by: string,
): Result<PolicyChange[]> {
  const isThere = found ?? same.find(({ status }) => status === 'confirmed')
  if (isThere)
    return fail({
      kind: 'conflict',
      code: 'rule_exists',
      message: 'This rule is in force already.',
      details: { ruleId: isThere.id },
    })
  const wrong = whyNoRule(rule)
  if (wrong !== null) return fail({ kind: 'invalid', code: 'never_automatic', message: wrong })
  const waiting = same.find(({ status }) => status === 'proposed')
  const data = { id: waiting?.id ?? id, workspaceRoot, by }
  const made = {
    ...data,
    kind: rule.kind,
    patternHash: sha256(rule.pattern),
    askId: null,
    evidence: waiting?.evidence ?? 0,
  }
  const confirmed: PolicyChange = { type: 'policy.confirmed', data }
  return ok(waiting ? [confirmed] : [{ type: 'policy.proposed', data: made, body: rule }, confirmed])
}

const nextStep: Readonly<Record<RuleStatus, string>> = {
  proposed: 'Confirm or dismiss it.',
  confirmed: 'It is in force. Revoke it to have people answer such asks again.',
  dismissed: 'To propose it again, answer such an ask with "always".',
  revoked: 'To propose it again, answer such an ask with "always".',
}

const alreadyDecided = (rule: PolicyRule): Failed =>
  fail({
    kind: 'conflict',
    code: 'rule_decided',
    message: `The rule is ${rule.status}.`,
    hint: nextStep[rule.status],
    details: { status: rule.status },
  })
