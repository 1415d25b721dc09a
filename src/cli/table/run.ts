import { command, on, text } from '../command.ts'

const detachKeys = text('KEYS', 'Keys that leave it at work (ctrl-],d); none turns them off')

export const runFlags = {
  session: text('ID', 'With ALIAS: in the workspace of this session (else the one of this directory)'),
  name: text('TEXT', 'With -- COMMAND: a name for the terminal'),
  detach: on('With -- COMMAND: only start it; attach shows it later'),
  'detach-keys': detachKeys,
}
export const sshFlags = {
  name: text('TEXT', 'A name for the terminal'),
  detach: on('Only start it; attach shows it later'),
  'detach-keys': detachKeys,
}
export const terminalAttachFlags = { 'detach-keys': detachKeys }

const group = 'Watch and steer the work'

export const runCommands = [
  command({
    name: 'run',
    summary: 'Run any program in a terminal that is watched; or a command of config.toml in a workspace',
    group,
    more: [
      'After -- stands the program and its words: it runs in a terminal of its own that yours passes through to, and its exit',
      'code is ours. Ctrl-] d leaves it at work; Ctrl-C, Ctrl-Z and all other keys are its own. It needs no server; one that',
      'runs shows it in the browser and tells when it waits for an answer. See docs/terminals.md.',
      '',
      'An ALIAS stands under [commands] in config.toml and runs on the server: without a shell unless the entry says so, for',
      'a minute at most. Alone, it lists them.',
    ].join('\n'),
    args: [
      { name: 'ALIAS', optional: true },
      { name: '-- COMMAND', optional: true, rest: true },
    ],
    flags: runFlags,
    examples: [
      'signalbox run -- npm create vite@latest',
      'signalbox run --name build --detach -- make all',
      'signalbox run',
      'signalbox run status --session 1f0c3a7e',
    ],
    load: async () => (await import('../commands/run.ts')).run,
  }),
  command({
    name: 'ssh',
    summary: 'ssh in a terminal that is watched',
    group,
    more: [
      'From the first word on that is no --flag, everything is handed to ssh as it is.',
      'Ctrl-] d leaves it at work; signalbox attach comes back.',
    ].join('\n'),
    args: [{ name: 'HOST' }, { name: 'SSH-WORDS', optional: true, rest: true }],
    verbatim: true,
    flags: sshFlags,
    examples: ['signalbox ssh web1', 'signalbox ssh --name deploy -p 2222 ann@web1'],
    load: async () => (await import('../commands/ssh.ts')).ssh,
  }),
]
