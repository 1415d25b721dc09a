import { patternRuleStatuses } from '../../domain/pattern/status.ts'
import { command, family, number, someOf, text } from '../command.ts'

export const patternListFlags = {
  program: text('NAME', 'Only questions of this program'),
  search: text('WORDS', 'Only questions with this text'),
  limit: number('N', 'How many (default: 100)', 1),
}
export const patternExportFlags = {
  output: text('FILE', 'Write to a new file that only you can read'),
  session: text('ID', 'Show what was typed in this session'),
}
export const proposalFlags = {
  status: someOf('STATUS', 'Only these, comma-separated (default: proposed and confirmed)', patternRuleStatuses),
}

const patterns = () => import('../commands/patterns.ts')
const proposals = () => import('../commands/patterns.ts')
const pattern = [{ name: 'ID' }]

export const patternCommands = [
  family({
    name: 'patterns',
    summary: 'What programs asked you, what you answered, and answers that could be automatic',
    group: 'Watch and steer the work',
    alone: 'list',
    more: 'docs/patterns.md explains what is learned, what never is, and when an answer is proposed.',
    examples: ['signalbox patterns', 'signalbox patterns --program apt', 'signalbox patterns proposals'],
    children: [
      command({
        name: 'list',
        summary: 'Questions and their most common answers, newest first (the default)',
        flags: patternListFlags,
        examples: ['signalbox patterns', 'signalbox patterns list --search restart --json'],
        load: async () => (await patterns()).listPatterns,
      }),
      command({
        name: 'show',
        summary: 'One question with all its answers',
        args: pattern,
        examples: ['signalbox patterns show 3f2a9c01', 'signalbox patterns show 3f2a9c01 --json'],
        load: async () => (await patterns()).showPattern,
      }),
      command({
        name: 'forget',
        summary: 'Forget what was learned about a question',
        args: pattern,
        examples: ['signalbox patterns forget 3f2a9c01', 'signalbox patterns forget 3f2a9c01 --json'],
        load: async () => (await patterns()).forgetPattern,
      }),
      command({
        name: 'export',
        summary: 'All your patterns as JSON, or what was typed in a session',
        flags: patternExportFlags,
        examples: ['signalbox patterns export --output patterns.json', 'signalbox patterns export --session 1f0c3a7e'],
        load: async () => (await patterns()).exportPatterns,
      }),
      command({
        name: 'import',
        summary: 'Import patterns: all of them, or none if one is invalid',
        args: [{ name: 'FILE' }],
        examples: ['signalbox patterns import patterns.json', 'signalbox patterns import patterns.json --json'],
        load: async () => (await patterns()).importPatterns,
      }),
      command({
        name: 'proposals',
        summary: 'Answers that could be typed automatically, with the evidence',
        flags: proposalFlags,
        examples: ['signalbox patterns proposals', 'signalbox patterns proposals --status dismissed --json'],
        load: async () => (await proposals()).listProposals,
      }),
      command({
        name: 'confirm',
        summary: 'Type a proposed answer automatically from now on',
        args: pattern,
        examples: ['signalbox patterns confirm 0199c2d4', 'signalbox patterns confirm 0199c2d4 --json'],
        load: async () => (await proposals()).confirmProposal,
      }),
      command({
        name: 'dismiss',
        summary: 'Decline a proposed answer; it is not proposed again for 30 days',
        args: pattern,
        examples: ['signalbox patterns dismiss 0199c2d4', 'signalbox patterns dismiss 0199c2d4 --json'],
        load: async () => (await proposals()).dismissProposal,
      }),
      command({
        name: 'revoke',
        summary: 'Revoke a confirmed answer; you are asked again',
        args: pattern,
        examples: ['signalbox patterns revoke 0199c2d4', 'signalbox patterns revoke 0199c2d4 --json'],
        load: async () => (await proposals()).revokeProposal,
      }),
    ],
  }),
]
