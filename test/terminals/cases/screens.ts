import type { Case } from '../case.ts'
import { withGit } from '../place.ts'

const menu = `
const items = ['npm', 'pnpm', 'yarn']
let at = 0, first = true
process.stdin.setRawMode(true)
const draw = () => {
  process.stdout.write((first ? '' : '\\x1b[3A\\r\\x1b[J') + '? Which manager? (use arrow keys)\\n' +
    items.map((item, n) => (n === at ? '\\x1b[36m❯ ' + item + '\\x1b[0m' : '  ' + item)).join('\\n') + '\\x1b[?25l')
  first = false
}
draw()
process.stdin.on('data', (data) => {
  if (String(data) === '\\x1b[B') { at += 1; draw() }
  if (String(data) !== '\\r') return
  process.stdin.setRawMode(false); process.stdin.destroy()
  process.stdout.write('\\x1b[3A\\r\\x1b[J\\x1b[?25h' + 'chosen ' + items[at] + '\\ninstalling ...\\n')
  setTimeout(() => {}, 30000)
})`

/** Programs that have the whole screen, or read single keys. */
export const screens: Case[] = [
  {
    name: 'less, a long file',
    program: 'less',
    raw: true,
    command: () => ['less', 'long.txt'],
    moments: [
      { shows: /line 20\n/, is: 'waiting', type: 'command', keys: ['space'] },
      { shows: /line 40\n/, is: 'waiting', type: 'command', keys: ['q'] },
      { shows: /^/, is: 'exited' },
    ],
  },
  {
    name: 'more, a long file',
    program: 'more',
    raw: true,
    command: () => ['more', 'long.txt'],
    moments: [
      { shows: /--More--/, is: 'waiting', type: 'command', keys: ['space'] },
      { shows: /line 40\n/, is: 'waiting' },
    ],
  },
  {
    name: 'man, a page',
    program: 'man',
    needs: ['less'],
    raw: true,
    command: () => ['man', '-P', 'less', './page.1'],
    moments: [{ shows: /Manual page|^:$/m, is: 'waiting', type: 'command' }],
  },
  {
    name: 'git, its log in a pager',
    program: 'git',
    needs: ['less'],
    raw: true,
    prepare: ({ cwd }) => void withGit(cwd),
    command: () => ['git', '-c', 'core.pager=less -+F', 'log'],
    moments: [{ shows: /\(END\)/, is: 'waiting', type: 'command' }],
  },
  {
    name: 'vi, a file; then its command line',
    program: 'vi',
    raw: true,
    command: () => ['vi', '-u', 'NONE', 'a.txt'],
    moments: [
      { shows: /first/, is: 'waiting', keys: [':'] },
      { shows: /^:$/m, is: 'waiting', line: '!echo done-42; sleep 30' },
      { shows: /^done-42/m, is: 'working' },
    ],
  },
  {
    name: 'nano, a file; then whether to save',
    program: 'nano',
    raw: true,
    command: () => ['nano', '-I', 'a.txt'],
    moments: [
      { shows: /GNU nano/, is: 'waiting', keys: ['x', 'ctrl-x'] },
      { shows: /Save modified buffer/, is: 'waiting', type: ['yes_no', 'choice'], prompt: /Save modified buffer/ },
    ],
  },
  {
    name: 'git, the message of a commit in an editor',
    program: 'git',
    needs: ['vi'],
    raw: true,
    prepare: ({ cwd }) => void withGit(cwd),
    command: () => [
      'git',
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      '-c',
      'core.editor=vi -u NONE',
      'commit',
      '-a',
    ],
    moments: [{ shows: /COMMIT_EDITMSG/, is: 'waiting' }],
  },
  {
    name: 'dialog, a menu; then it works on',
    program: 'dialog',
    raw: true,
    command: () => [
      'bash',
      '-c',
      'dialog --menu "Which fruit?" 12 40 3 1 apple 2 pear 3 plum 2>out; clear; echo got-$(cat out); sleep 30',
    ],
    moments: [
      { shows: /Which fruit/, is: 'waiting', type: 'choice', keys: ['down', 'enter'] },
      { shows: /^got-2/m, is: 'working' },
    ],
  },
  {
    name: 'whiptail, yes or no',
    program: 'whiptail',
    raw: true,
    command: () => ['bash', '-c', 'whiptail --yesno "Install the driver?" 10 40; clear; echo got-$?; sleep 30'],
    moments: [
      {
        shows: /Install the driver/,
        is: 'waiting',
        type: ['yes_no', 'choice'],
        prompt: /Install the driver\?/,
        keys: ['enter'],
      },
      { shows: /^got-0/m, is: 'working' },
    ],
  },
  {
    name: 'node, a menu with arrows',
    program: 'node',
    raw: true,
    command: () => [process.execPath, '-e', menu],
    moments: [
      { shows: /❯ npm/, is: 'waiting', type: 'choice', prompt: /Which manager\?/, keys: ['down'] },
      { shows: /❯ pnpm/, is: 'waiting', type: 'choice', keys: ['enter'] },
      { shows: /chosen pnpm/, is: 'working' },
    ],
  },
  {
    name: 'fzf, a search over a list',
    program: 'fzf',
    raw: true,
    command: () => ['bash', '-c', 'a=$(printf "apple\\npear\\nplum\\n" | fzf); echo got-$a; sleep 30'],
    moments: [
      { shows: /3\/3/, is: 'waiting', keys: ['p', 'e', 'enter'] },
      { shows: /^got-/m, is: 'working' },
    ],
  },
  {
    name: 'mc',
    program: 'mc',
    raw: true,
    command: () => ['mc', '-u', '-a'],
    moments: [{ shows: /Quit/, is: 'waiting' }],
  },
  {
    name: 'top, which shows by itself and takes keys',
    program: 'top',
    raw: true,
    command: () => ['top', '-d', '2'],
    moments: [{ shows: /PID/, is: 'either' }],
  },
  {
    name: 'htop, which shows by itself and takes keys',
    program: 'htop',
    raw: true,
    command: () => ['htop'],
    moments: [{ shows: /PID/, is: 'either' }],
  },
]
