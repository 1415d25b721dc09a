import { command, text } from '../command.ts'

export const runFlags = { session: text('ID', 'In the workspace of this session (else the one of this directory)') }

export const runCommands = [
  command({
    name: 'run',
    summary: 'Run a command of config.toml in the workspace of a session; alone, list them',
    group: 'Watch and steer the work',
    more: 'Only what stands under [commands] is run: without a shell unless the entry says so, for a minute at most.',
    args: [{ name: 'ALIAS', optional: true }],
    flags: runFlags,
    examples: ['signalbox run', 'signalbox run status', 'signalbox run status --session 1f0c3a7e'],
    load: async () => (await import('../commands/run.ts')).run,
  }),
]
