import { ruleStatuses } from '../../domain/policy/status.ts'
import { command, family, someOf, text } from '../command.ts'

const place = {
  workspace: text('DIR', "For this workspace (default: the current directory's)"),
  session: text('ID', "For this session's workspace"),
}
export const policyFlags = place
export const policyTestFlags = { ...place, since: text('TIME', 'Only asks since then: 30d, 12h, or a date') }
export const ruleListFlags = {
  workspace: text('DIR', 'Only those in a workspace'),
  status: someOf('STATUS', 'Only these, comma-separated', ruleStatuses),
}

const policy = () => import('../commands/policy.ts')
const rules = () => import('../commands/policy-rules.ts')
const trust = () => import('../commands/policy-trust.ts')
const rule = [{ name: 'ID' }]

export const policyCommands = [
  family({
    name: 'policy',
    summary: 'What is answered automatically here, back-tests on past asks, and rules to confirm',
    group: 'Watch and steer the work',
    alone: 'show',
    more: 'A policy is the file .signalbox/settings.json in a workspace. docs/policy.md describes it.',
    examples: ['signalbox policy', 'signalbox policy test new.json --since 30d', 'signalbox policy confirm 0199c2d4'],
    children: [
      command({
        name: 'show',
        summary: 'The policy in force here, its faults, and entries that never match (the default)',
        flags: policyFlags,
        examples: ['signalbox policy', 'signalbox policy show --workspace ../shop --json'],
        load: async () => (await policy()).showPolicy,
      }),
      command({
        name: 'trust',
        summary: 'Trust a directory, so that its policy applies (admins)',
        more: 'Registered repos, their worktrees, and the workspaces of config.toml are trusted already. A clone inside a trusted directory is not.',
        args: [{ name: 'PATH', optional: true }],
        examples: ['signalbox policy trust', 'signalbox policy trust ../shop'],
        load: async () => (await trust()).trustPolicy,
      }),
      command({
        name: 'untrust',
        summary: 'Stop trusting a directory: everything there is asked again (admins)',
        args: [{ name: 'PATH', optional: true }],
        examples: ['signalbox policy untrust', 'signalbox policy untrust ../shop'],
        load: async () => (await trust()).untrustPolicy,
      }),
      command({
        name: 'accept',
        summary: 'Accept a policy file that was widened while an agent was working (admins)',
        more: 'signalbox policy shows the HASH. If the file has changed since, nothing is confirmed.',
        args: [{ name: 'HASH' }],
        flags: policyFlags,
        examples: ['signalbox policy accept 3f9c21d07a4e', 'signalbox policy accept 3f9c21d07a4e --workspace ../shop'],
        load: async () => (await trust()).acceptPolicy,
      }),
      command({
        name: 'test',
        summary: 'Back-test a policy: what it would have answered, and where people decided otherwise',
        more: 'Without FILE: the policy in force. Nothing is changed and nothing is answered.',
        args: [{ name: 'FILE', optional: true }],
        flags: policyTestFlags,
        examples: ['signalbox policy test', 'signalbox policy test new.json --since 30d'],
        load: async () => (await policy()).testPolicy,
      }),
      command({
        name: 'rules',
        summary: 'Proposed, confirmed and dismissed rules',
        flags: ruleListFlags,
        examples: ['signalbox policy rules', 'signalbox policy rules --status proposed --json'],
        load: async () => (await rules()).listRules,
      }),
      command({
        name: 'confirm',
        summary: 'Confirm a proposed rule',
        args: rule,
        examples: ['signalbox policy confirm 0199c2d4', 'signalbox policy confirm 0199c2d4 --json'],
        load: async () => (await rules()).confirmRule,
      }),
      command({
        name: 'dismiss',
        summary: 'Decline a proposed rule',
        args: rule,
        examples: ['signalbox policy dismiss 0199c2d4', 'signalbox policy dismiss 0199c2d4 --json'],
        load: async () => (await rules()).dismissRule,
      }),
      command({
        name: 'revoke',
        summary: 'Revoke a confirmed rule; people are asked again',
        args: rule,
        examples: ['signalbox policy revoke 0199c2d4', 'signalbox policy revoke 0199c2d4 --json'],
        load: async () => (await rules()).revokeRule,
      }),
    ],
  }),
]
