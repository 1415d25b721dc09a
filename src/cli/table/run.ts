import { command, on, text } from '../command.ts'

const detachKeys = text('KEYS', 'Keys that detach (ctrl-],d); none turns them off')

export const runFlags = {
  session: text('ID', "With ALIAS: in the workspace of this session (default: the current directory's)"),
  name: text('TEXT', 'With -- COMMAND: a name for the terminal'),
  detach: on('With -- COMMAND: run in the background; attach shows it later'),
  'detach-keys': detachKeys,
}
export const sshFlags = {
  name: text('TEXT', 'A name for the terminal'),
  detach: on('Run in the background; attach shows it later'),
  'detach-keys': detachKeys,
}
export const terminalAttachFlags = { 'detach-keys': detachKeys }

const group = 'Watch and steer the work'

export const runCommands = [
  command({
    name: 'run',
    summary: 'Run a program in a watched terminal, or a command from config.toml in a workspace',
    group,
    more: [
      'After -- comes the program with its arguments. It runs in its own terminal, connected to yours, and its exit',
      'code is returned. Ctrl-] d detaches; all other keys, Ctrl-C and Ctrl-Z too, go to it. It needs no server; a server that',
      'is running shows it in the browser and reports when it waits for an answer. See docs/terminals.md.',
      '',
      'An ALIAS is an entry of [commands] in config.toml and runs on the server: without a shell unless the entry says so, for',
      'at most a minute. Without an argument, lists them.',
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
    summary: 'Run ssh in a watched terminal',
    group,
    more: [
      'Everything from the first argument that is not a --flag is passed to ssh unchanged.',
      'Ctrl-] d detaches; signalbox attach returns to it.',
    ].join('\n'),
    args: [{ name: 'HOST' }, { name: 'SSH-WORDS', optional: true, rest: true }],
    verbatim: true,
    flags: sshFlags,
    examples: ['signalbox ssh web1', 'signalbox ssh --name deploy -p 2222 ann@web1'],
    load: async () => (await import('../commands/ssh.ts')).ssh,
  }),
]
