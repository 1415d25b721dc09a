import { command, family, number, on, oneOf, text } from '../command.ts'

const group = 'Watch and steer the work'
const terminal = { name: 'ID', of: 'terminal' } as const
const terminals = () => import('../commands/terminals.ts')
const typing = () => import('../commands/terminal-input.ts')
const recording = () => import('../commands/terminal-recording.ts')

export const watchFlags = {
  script: on('FILE was written by script(1)'),
  name: text('TEXT', 'Name of the terminal'),
  'from-start': on('Also read what is already in the log'),
  detach: on('Run in the background; signalbox terminals shows it'),
}
export const terminalListFlags = { all: on('Also list those no longer watched') }
export const terminalShowFlags = { explain: on('Also show the evidence') }
export const terminalAnswerFlags = {
  secret: on('Prompt for it without echo; it is not stored'),
  expect: text('PROMPT', 'Only if this prompt is still shown (default: the one last shown in this shell)'),
  'no-enter': on('Do not press Enter after it'),
  yes: on('Do not ask again before it goes to a dangerous prompt'),
}
export const terminalKeysFlags = { yes: terminalAnswerFlags.yes }
export const terminalUpdateFlags = {
  cursor: text('CURSOR', 'Continue where an earlier call ended'),
  lines: number('N', 'How many lines (50)', 1),
  follow: on('Keep following new output'),
}
export const terminalReplayFlags = {
  speed: text('N', 'Playback speed: 2, 0.5 (1)'),
  idle: text('SECONDS', 'Longest pause (2)'),
}
export const terminalCastFlags = {
  output: text('FILE', 'Write there instead of printing'),
  asciicast: oneOf('VERSION', 'Version of the format (2)', ['2', '3']),
}
export const terminalSearchFlags = {
  regex: on('QUERY is a regular expression'),
  session: text('ID', 'Only in this terminal'),
  since: text('TIME', 'Only later: 30m, 12h, or a date'),
  until: text('TIME', 'Only earlier'),
  context: number('N', 'Lines of context before and after (3)'),
  limit: number('N', 'How many (10)', 1),
}
export const catchUpFlags = {
  session: text('ID', 'Only this session'),
  since: text('WHEN', 'Since then: 30m, 12h, a date or a cursor (default: your last look)'),
  budget: number('TOKENS', 'Length limit (2000)', 50),
  severity: oneOf('LEVEL', 'Minimum severity', ['low', 'medium', 'high', 'critical']),
}

export const terminalCommands = [
  command({
    name: 'watch',
    summary: 'Follow a log like a terminal, and report when it is waiting for input',
    group,
    more: [
      'The log may be rotated or truncated. Ctrl-C closes this view; watching continues until signalbox terminals stop.',
      'A log shows less than a terminal: prompts are detected from its text only.',
    ].join('\n'),
    args: [{ name: 'FILE' }],
    flags: watchFlags,
    examples: ['signalbox watch install.log', 'signalbox watch --script typescript --detach'],
    load: async () => (await import('../commands/watch.ts')).watch,
  }),
  family({
    name: 'terminals',
    summary: 'Programs in terminals: what each is waiting for, its screen, answers, recordings, search',
    group,
    alone: 'list',
    more: 'Start one: signalbox run -- COMMAND, signalbox ssh HOST, signalbox watch FILE. Attach: signalbox attach ID',
    examples: ['signalbox terminals', 'signalbox terminals answer 1f0c3a7e y'],
    children: [
      command({
        name: 'list',
        summary: 'Terminals and what each is waiting for, newest first (the default)',
        flags: terminalListFlags,
        examples: ['signalbox terminals', 'signalbox terminals --all --json'],
        load: async () => (await terminals()).listTerminals,
      }),
      command({
        name: 'show',
        summary: 'Its screen, its prompt, possible answers and the confidence',
        args: [terminal],
        flags: terminalShowFlags,
        examples: ['signalbox terminals show 1f0c3a7e', 'signalbox terminals show 1f0c3a7e --explain'],
        load: async () => (await terminals()).showTerminal,
      }),
      command({
        name: 'answer',
        summary: 'Type an answer into the prompt that you saw; refused if the prompt has changed',
        more: [
          'The prompt is the one that terminals, terminals show or an earlier answer last showed in this shell.',
          'A secret is prompted for, or read from standard input; it is never a command-line argument.',
        ].join('\n'),
        args: [terminal, { name: 'TEXT', optional: true, rest: true }],
        flags: terminalAnswerFlags,
        examples: ['signalbox terminals answer 1f0c3a7e y', 'signalbox terminals answer 1f0c3a7e --secret'],
        load: async () => (await typing()).answerTerminal,
      }),
      command({
        name: 'keys',
        summary: 'Press keys: up, down, enter, tab, esc, space, ctrl-c …',
        args: [terminal, { name: 'KEY', rest: true }],
        flags: terminalKeysFlags,
        examples: ['signalbox terminals keys 1f0c3a7e down down enter', 'signalbox terminals keys 1f0c3a7e ctrl-c'],
        load: async () => (await typing()).pressKeys,
      }),
      command({
        name: 'stop',
        summary: 'Stop watching; the program keeps running, and its recording is kept',
        args: [terminal],
        examples: ['signalbox terminals stop 1f0c3a7e', 'signalbox terminals stop 1f0c3a7e --json'],
        load: async () => (await terminals()).stopTerminal,
      }),
      command({
        name: 'end',
        summary: 'End the program and stop watching',
        args: [terminal],
        examples: ['signalbox terminals end 1f0c3a7e', 'signalbox terminals end 1f0c3a7e --json'],
        load: async () => (await terminals()).endTerminal,
      }),
      command({
        name: 'updates',
        summary: 'Its output as text, from a cursor',
        args: [terminal],
        flags: terminalUpdateFlags,
        examples: ['signalbox terminals updates 1f0c3a7e', 'signalbox terminals updates 1f0c3a7e --follow'],
        load: async () => (await recording()).showUpdates,
      }),
      command({
        name: 'replay',
        summary: 'Play its recording in this terminal',
        args: [terminal],
        flags: terminalReplayFlags,
        examples: ['signalbox terminals replay 1f0c3a7e', 'signalbox terminals replay 1f0c3a7e --speed 4'],
        load: async () => (await recording()).replay,
      }),
      command({
        name: 'cast',
        summary: 'Its recording as asciicast v2 or v3, for asciinema and others',
        args: [terminal],
        flags: terminalCastFlags,
        examples: [
          'signalbox terminals cast 1f0c3a7e > install.cast',
          'signalbox terminals cast 1f0c3a7e --asciicast 3 --output install.cast',
        ],
        load: async () => (await recording()).cast,
      }),
      command({
        name: 'search',
        summary: 'Search the output of all terminals, newest first',
        args: [{ name: 'QUERY', rest: true }],
        flags: terminalSearchFlags,
        examples: [
          'signalbox terminals search "permission denied" --since 24h',
          "signalbox terminals search --regex 'E[A-Z]+: .*open' --context 1",
        ],
        load: async () => (await recording()).search,
      }),
    ],
  }),
  command({
    name: 'catch-up',
    summary: 'What mattered since your last visit: prompts, errors, ends, asks',
    group,
    flags: catchUpFlags,
    examples: ['signalbox catch-up', 'signalbox catch-up --since 12h --severity high'],
    load: async () => (await import('../commands/catch-up.ts')).catchUp,
  }),
]

export const detectFlags = { corpus: text('DIR', 'Directory of recorded cases: DIR/*.json or DIR/cases/*.json') }

export const detectCommands = [
  command({
    name: 'detect',
    summary: 'Detect in recorded terminals whether a program is waiting, for what, and whether an answer is dangerous',
    group: 'Maintenance',
    more: 'Prints one line of JSON per case: id, waiting, type, prompt_text, dangerous, confidence. Labels in the files are not read.',
    flags: detectFlags,
    examples: ['signalbox detect --corpus recordings', 'signalbox detect --corpus recordings > predictions.jsonl'],
    load: async () => (await import('../commands/detect.ts')).detectCorpus,
  }),
]
