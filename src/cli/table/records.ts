import { command, family, list, number, on, text } from '../command.ts'

export const addRepoFlags = { name: text('NAME', "Its name (default: the directory's name)") }
export const eventFlags = {
  follow: on('Follow new events'),
  after: text('CURSOR', 'With --follow: start after this event'),
  session: text('ID', 'Only those in a session'),
  type: text('TYPES', 'Only these, comma-separated: ask.opened, session.*'),
  limit: number('N', 'Without --follow: how many (20)', 1),
}
export const deadLetterFlags = { retry: text('ID', 'Handle this event again') }
const auditFilter = {
  type: text('TYPES', 'Only these, comma-separated: ask.answered, role.*'),
  actor: text('ACTOR', 'Only events by this actor: a user, or policy:RULE, agent:ID, system:NAME'),
  session: text('ID', 'Only of this session'),
  since: text('TIME', 'Only later: 30m, 12h, or a date'),
  until: text('TIME', 'Only earlier: 30m, 12h, or a date'),
  text: text('TEXT', 'Only with this text'),
}
export const auditFlags = { ...auditFilter, limit: number('N', 'How many (50)', 1) }
export const auditExportFlags = { ...auditFilter, output: text('FILE', 'Write there instead of printing') }

const records = 'What happened'
export const repoAccessFlags = {
  everyone: on('Everyone here'),
  nobody: on('Only admins, owners and people with the machine right'),
  user: list('USER', 'This person; can be repeated'),
  group: list('ID', 'Members of this agent group; can be repeated'),
}

const repos = () => import('../commands/repos.ts')

export const repoCommands = [
  family({
    name: 'repos',
    summary: 'Git repositories that sessions can work in',
    group: 'Watch and steer the work',
    alone: 'list',
    more: 'REPO is an id or the start of one, a name or a path.',
    examples: ['signalbox repos add ~/code/shop --name shop', 'signalbox repos scan'],
    children: [
      command({
        name: 'list',
        summary: 'Registered repos (the default)',
        examples: ['signalbox repos', 'signalbox repos --json'],
        load: async () => (await repos()).listRepos,
      }),
      command({
        name: 'add',
        summary: 'Register a Git repository inside the workspace root',
        args: [{ name: 'PATH' }],
        flags: addRepoFlags,
        examples: ['signalbox repos add .', 'signalbox repos add ~/code/shop --name shop'],
        load: async () => (await repos()).addRepo,
      }),
      command({
        name: 'scan',
        summary: 'Find and register new repos below the workspace root',
        examples: ['signalbox repos scan', 'signalbox repos scan --json'],
        load: async () => (await repos()).scanRepos,
      }),
      command({
        name: 'access',
        summary: 'Set who can use a repo: everyone, or people and agent groups; without a flag, show it',
        args: [{ name: 'REPO' }],
        flags: repoAccessFlags,
        examples: ['signalbox repos access shop --user ann --user ben', 'signalbox repos access shop --everyone'],
        load: async () => (await repos()).repoAccess,
      }),
      command({
        name: 'remove',
        summary: 'Forget a repo; its files and sessions stay',
        args: [{ name: 'REPO' }],
        examples: ['signalbox repos remove shop', 'signalbox repos remove 0199c2d4'],
        load: async () => (await repos()).removeRepo,
      }),
    ],
  }),
]

export const recordCommands = [
  family({
    name: 'events',
    summary: 'Live events',
    group: records,
    alone: 'list',
    examples: ['signalbox events --follow', 'signalbox events --follow --type "ask.*" --json'],
    children: [
      command({
        name: 'list',
        summary: 'Recent events, or with --follow those to come (the default)',
        flags: eventFlags,
        examples: ['signalbox events --session 1f0c3a7e', 'signalbox events --follow --json'],
        load: async () => (await import('../commands/events.ts')).events,
      }),
      command({
        name: 'dead-letters',
        summary: 'Unhandled events and unsent messages',
        flags: deadLetterFlags,
        examples: ['signalbox events dead-letters', 'signalbox events dead-letters --retry 0199c2d4'],
        load: async () => (await import('../commands/dead-letters.ts')).deadLetters,
      }),
    ],
  }),
  family({
    name: 'audit',
    summary: 'Search and export the log: who did what, and when',
    group: records,
    alone: 'search',
    examples: ['signalbox audit --since 24h --type "role.*"', 'signalbox audit export --output log.ndjson'],
    children: [
      command({
        name: 'search',
        summary: 'The log, newest first (the default)',
        flags: auditFlags,
        examples: ['signalbox audit --since 24h', 'signalbox audit --actor me --limit 200'],
        load: async () => (await import('../commands/audit.ts')).searchAudit,
      }),
      command({
        name: 'export',
        summary: 'The log in order as NDJSON, one event per line',
        flags: auditExportFlags,
        examples: ['signalbox audit export --output log.ndjson', 'signalbox audit export --since 7d | gzip > week.gz'],
        load: async () => (await import('../commands/audit.ts')).exportAudit,
      }),
    ],
  }),
]
