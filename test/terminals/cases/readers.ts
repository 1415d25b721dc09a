import { sh, type Case } from '../case.ts'

export const readers: Case[] = [
  {
    name: 'cat, which shows nothing',
    program: 'cat',
    command: () => ['cat'],
    moments: [
      { shows: /^\s*$/, is: 'waiting', secret: false, line: 'said' },
      { shows: /said\nsaid/, is: 'waiting' },
    ],
  },
  {
    name: 'sort, which shows nothing',
    program: 'sort',
    command: () => ['sort'],
    moments: [{ shows: /^\s*$/, is: 'waiting' }],
  },
  {
    name: 'head, which shows nothing',
    program: 'head',
    command: sh('head -n 1; sleep 30'),
    moments: [
      { shows: /^\s*$/, is: 'waiting', line: 'said' },
      { shows: /said\nsaid/, is: 'working' },
    ],
  },
  {
    name: 'bash, read with a question',
    program: 'bash',
    command: sh('read -p "Delete 3 tables? (yes/no): " a; echo got-$a; sleep 30'),
    moments: [
      { shows: /Delete/, is: 'waiting', type: 'yes_no', prompt: /^Delete 3 tables\? \(yes\/no\):$/, line: 'no' },
      { shows: /^got-no/m, is: 'working' },
    ],
  },
  {
    name: 'bash, read without echo',
    program: 'bash',
    command: sh('read -s -p "Say the word: " a; echo; echo got; sleep 30'),
    moments: [
      { shows: /Say the word/, is: 'waiting', type: 'password', secret: true, line: 'hunter2' },
      { shows: /^got/m, is: 'working' },
    ],
  },
  {
    name: 'bash, read of one key',
    program: 'bash',
    raw: true,
    command: sh('read -n 1 -p "Press any key to continue" a; echo; echo got; sleep 30'),
    moments: [
      { shows: /Press any key/, is: 'waiting', keys: ['x'] },
      { shows: /^got/m, is: 'working' },
    ],
  },
  {
    name: 'bash, read with a time limit that is far',
    program: 'bash',
    command: sh('read -t 60 -p "Port [8080]: " a; echo got-$a; sleep 30'),
    moments: [
      { shows: /Port/, is: 'waiting', type: 'text', line: '9090' },
      { shows: /^got-9090/m, is: 'working' },
    ],
  },
  {
    name: 'bash, a list of its own',
    program: 'bash',
    command: sh('select a in apples pears plums; do echo got-$a; break; done; sleep 30'),
    moments: [
      { shows: /#\? ?$/m, is: 'waiting', type: 'choice', line: '2' },
      { shows: /^got-pears/m, is: 'working' },
    ],
  },
  {
    name: 'python3, input',
    program: 'python3',
    command: () => [
      'python3',
      '-c',
      'import time; a=input("Where to? "); print("got-" + a, flush=True); time.sleep(30)',
    ],
    moments: [
      { shows: /Where to/, is: 'waiting', type: 'text', line: 'home' },
      { shows: /^got-home/m, is: 'working' },
    ],
  },
  {
    name: 'perl, a line from the terminal',
    program: 'perl',
    command: () => ['perl', '-e', '$|=1; print "Project name (demo): "; $a=<STDIN>; print "got-$a"; sleep 30'],
    moments: [
      { shows: /Project name/, is: 'waiting', type: 'text', line: 'x' },
      { shows: /^got-x/m, is: 'working' },
    ],
  },
  {
    name: 'awk, a line from the terminal',
    program: 'awk',
    command: () => [
      'awk',
      'BEGIN { printf "How many? "; fflush(); getline a < "-"; print "got-" a; fflush(); system("sleep 30") }',
    ],
    moments: [
      { shows: /How many/, is: 'waiting', type: 'text', line: '3' },
      { shows: /^got-3/m, is: 'working' },
    ],
  },
  {
    name: 'node, a question with its line editor',
    program: 'node',
    raw: true,
    command: () => [
      process.execPath,
      '-e',
      `const r = require('node:readline').createInterface({ input: process.stdin, output: process.stdout })
       r.question('Package name? ', (a) => { console.log('got-' + a); r.close(); setTimeout(() => {}, 30000) })`,
    ],
    moments: [
      { shows: /Package name/, is: 'waiting', type: 'text', line: 'demo' },
      { shows: /^got-demo/m, is: 'working' },
    ],
  },
  {
    name: 'xargs, asking before it runs',
    program: 'xargs',
    command: sh('echo one | xargs -p sh -c "echo got-\\$0; sleep 30"'),
    moments: [
      { shows: /\?\.\.\./, is: 'waiting', line: 'y' },
      { shows: /^got-one/m, is: 'working' },
    ],
  },
  {
    name: 'make, a recipe that asks',
    program: 'make',
    command: () => [
      'make',
      '-s',
      '--eval',
      'ask:\n\t@read -p "Deploy now? [y/N] " a; echo got-$$a; sleep 30',
      'SHELL=bash',
      'ask',
    ],
    moments: [
      { shows: /Deploy now/, is: 'waiting', type: 'yes_no', line: 'y' },
      { shows: /^got-y/m, is: 'working' },
    ],
  },
  {
    name: 'a pipeline, of which the first part reads',
    program: 'sed',
    command: sh('{ read -p "Which tag? " a; echo got-$a; sleep 30; } | sed -u s/x/y/'),
    moments: [
      { shows: /Which tag/, is: 'waiting', type: 'text', line: 'v1' },
      { shows: /^got-v1/m, is: 'working' },
    ],
  },
  {
    name: 'python3, which waits for the terminal or the time',
    program: 'python3',
    command: () => [
      'python3',
      '-c',
      `import select, sys, time
print("Boot which kernel? ", end="", flush=True)
select.select([sys.stdin], [], [], 60)
print("got-" + sys.stdin.readline(), flush=True)
time.sleep(30)`,
    ],
    moments: [
      { shows: /Boot which/, is: 'waiting', type: ['text', 'choice'], line: '6.1' },
      { shows: /^got-6/m, is: 'working' },
    ],
  },
  {
    name: 'node, a question while another thread computes',
    program: 'node',
    command: () => [
      process.execPath,
      '-e',
      `new (require('node:worker_threads').Worker)('for (const end = Date.now() + 6000; Date.now() < end; );', { eval: true })
       process.stdout.write('Your name: ')
       process.stdin.once('data', (a) => { console.log('got-' + a); process.stdin.destroy(); setTimeout(() => {}, 30000) })`,
    ],
    moments: [
      { shows: /Your name/, is: 'waiting', type: 'text', line: 'ann' },
      { shows: /^got-ann/m, is: 'working' },
    ],
  },
]
