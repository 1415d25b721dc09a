import type { Case, Moment } from '../case.ts'

/** At its prompt; then it computes. */
const repl = (prompt: RegExp, line: string, shows = /^done-42/m): Moment[] => [
  { shows: prompt, is: 'waiting', type: 'command', secret: false, line },
  { shows, is: 'working' },
]

export const repls: Case[] = [
  {
    name: 'python3',
    program: 'python3',
    raw: true,
    command: () => ['python3', '-q'],
    moments: repl(/^>>> ?$/m, 'import time; print("done-%d" % 42, flush=True); time.sleep(30)'),
  },
  {
    name: 'python3, its debugger',
    program: 'python3',
    command: () => ['python3', '-c', 'import pdb; pdb.set_trace(); print(1)'],
    moments: repl(/\(Pdb\) ?$/m, 'import time; print("done-%d" % 42); time.sleep(30)'),
  },
  {
    name: 'node',
    program: 'node',
    raw: true,
    command: () => [process.execPath, '-i'],
    moments: repl(/^> ?$/m, 'console.log("done-" + 42); for (const end = Date.now() + 30000; Date.now() < end; );'),
  },
  {
    name: 'sqlite3',
    program: 'sqlite3',
    raw: true,
    command: () => ['sqlite3', ':memory:'],
    moments: [
      { shows: /^sqlite> ?$/m, is: 'waiting', type: 'command', line: 'select "open' },
      { shows: /^ +\.\.\.> ?$/m, is: 'waiting', type: 'command' },
    ],
  },
  {
    name: 'bc, which shows no prompt',
    program: 'bc',
    command: () => ['bc'],
    moments: [
      { shows: /warranty/, is: 'waiting', line: '6*7' },
      { shows: /^42/m, is: 'waiting', line: 'while (1) { x = x + 1 }' },
      { shows: /while/, is: 'working' },
    ],
  },
  {
    name: 'dc, which shows no prompt',
    program: 'dc',
    command: () => ['dc'],
    moments: [
      { shows: /^\s*$/, is: 'waiting', line: '6 7 * p' },
      { shows: /^42/m, is: 'waiting', line: '[d 1 + lx x] sx 0 lx x' },
      { shows: /sx/, is: 'working' },
    ],
  },
  {
    name: 'gdb',
    program: 'gdb',
    raw: true,
    command: () => ['gdb', '-q', '-nx'],
    moments: repl(/^\(gdb\) ?$/m, 'shell echo done-42; sleep 30'),
  },
  {
    name: 'perl, its debugger',
    program: 'perl',
    command: () => ['perl', '-de0'],
    moments: repl(/DB<1> ?$/m, '$| = 1; print "done-", 42, "\\n"; sleep 30'),
  },
  {
    name: 'lua',
    program: 'lua5.4',
    command: () => ['lua5.4', '-i'],
    moments: repl(/^> ?$/m, 'print("done-" .. 42); local e = os.clock() + 30; while os.clock() < e do end'),
  },
  { name: 'tclsh', program: 'tclsh', command: () => ['tclsh'], moments: repl(/^% ?$/m, 'puts done-42; after 30000') },
  {
    name: 'ed, with a prompt',
    program: 'ed',
    command: () => ['ed', '-p', '*', 'a.txt'],
    moments: repl(/^\*$/m, '!echo done-42; sleep 30'),
  },
  {
    name: 'ftp',
    program: 'tnftp',
    raw: true,
    command: () => ['tnftp'],
    moments: repl(/^ftp> ?$/m, '!echo done-42; sleep 30'),
  },
  {
    name: 'telnet',
    program: 'telnet',
    command: () => ['telnet'],
    moments: repl(/^telnet> ?$/m, '!echo done-42; sleep 30'),
  },
  {
    name: 'telnet, the other side asks',
    program: 'telnet',
    command: ({ place }) => ['telnet', '127.0.0.1', `${place.asking}`],
    moments: [{ shows: /login:/, is: 'waiting', type: 'text' }],
  },
  {
    name: 'telnet, the other side tells',
    program: 'telnet',
    command: ({ place }) => ['telnet', '127.0.0.1', `${place.telling}`],
    moments: [{ shows: /Sending/, is: 'working' }],
  },
  {
    name: 'expect',
    program: 'expect',
    command: () => ['expect'],
    moments: repl(/^expect1\.\d+> ?$/m, 'puts done-42; sleep 30'),
  },
]
