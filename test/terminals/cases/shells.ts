import { sh, type Case, type Moment } from '../case.ts'

/** At its prompt; then it runs a command that says so and keeps running. */
const shell = (prompt: RegExp, line = 'echo done-$((40+2)); sleep 30'): Moment[] => [
  { shows: prompt, is: 'waiting', type: 'command', secret: false, line },
  { shows: /^done-42/m, is: 'working' },
]

const alone = ['bash --norc --noprofile -i', ';', 'set-option', '-g', 'destroy-unattached', 'on']

export const shells: Case[] = [
  {
    name: 'bash, interactive',
    program: 'bash',
    raw: true,
    command: () => ['bash', '--norc', '--noprofile', '-i'],
    moments: [
      { shows: /[$#] ?$/m, is: 'waiting', type: 'command', keys: ['l', 's'] },
      { shows: /[$#] ls$/m, is: 'waiting', type: 'command', keys: ['ctrl-u'] },
      ...shell(/[$#] ?$/m),
      { shows: /^done-42/m, is: 'working', keys: ['ctrl-z'] },
      { shows: /Stopped[^]*[$#] ?$/m, is: 'waiting', type: 'command', line: 'fg' },
      { shows: /[$#] fg\n.*sleep/, is: 'working', keys: ['ctrl-c'] },
      { shows: /\^C\n.*[$#] ?$/m, is: 'waiting', type: 'command' },
    ],
  },
  { name: 'dash, interactive', program: 'dash', command: () => ['dash', '-i'], moments: shell(/^[$#] ?$/m) },
  {
    name: 'zsh, interactive',
    program: 'zsh',
    raw: true,
    command: () => ['zsh', '-f', '-i'],
    moments: shell(/[%#] ?$/m),
  },
  { name: 'ksh, interactive', program: 'ksh', raw: true, command: () => ['ksh', '-i'], moments: shell(/^[$#] ?$/m) },
  {
    name: 'busybox, its shell',
    program: 'busybox',
    raw: true,
    command: () => ['busybox', 'sh', '-i'],
    moments: shell(/[$#] ?$/m),
  },
  {
    name: 'tmux, a shell in it',
    program: 'tmux',
    raw: true,
    // Nothing is left of it when the terminal is hung up.
    command: ({ cwd }) => `tmux -f /dev/null -S ${cwd}/socket new-session`.split(' ').concat(alone),
    moments: [{ shows: /[$#] ?$/m, is: 'waiting', type: 'command' }],
  },
  {
    name: 'script, which hands everything on',
    program: 'script',
    raw: true,
    command: () => [
      'script',
      '-qc',
      'bash --norc -c \'read -p "Continue? [y/N] " a; echo got-$a; sleep 30\'',
      '/dev/null',
    ],
    moments: [
      { shows: /Continue\? \[y\/N\]/, is: 'waiting', type: 'yes_no', line: 'y' },
      { shows: /^got-y/m, is: 'working' },
    ],
  },
  {
    name: 'rlwrap, a line editor around a program',
    program: 'rlwrap',
    raw: true,
    command: () => ['rlwrap', '-pred', '-S', 'say> ', 'cat'],
    moments: [{ shows: /say>/, is: 'waiting', type: ['command', 'text'] }],
  },
  {
    name: 'bash, a job in the background prints while it waits',
    program: 'bash',
    command: sh('(for i in 1 2 3 4 5; do sleep 0.3; echo "step $i"; done) & read -p "Name: " a'),
    moments: [{ shows: /step 5/, is: 'waiting' }],
  },
]
